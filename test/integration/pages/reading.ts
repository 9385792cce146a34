/** The pages as a person without scripts and styles uses them, over HTTP: the HTML of an address, its links and its forms. */
import { parseDocument } from 'htmlparser2';
import { expect } from 'vitest';
import { requestOf } from '../../support/html/forms.ts';
import { Part } from '../../support/html/part.ts';
import type { PagesServer } from './pagesServer.ts';

type Server = Pick<PagesServer, 'url' | 'apiKey'>;

/** Opens an address of an organization, signed in. */
export async function read(server: Server, address: string): Promise<ReadPage> {
  const { name, value } = await sessionOf(server, address);
  const page = new ReadPage([[name, value]]);
  await page.open(address);
  return page;
}

/** Opens an address as a person who has not signed in. @param status that the answer must have. */
export async function open(address: string, status = 200): Promise<ReadPage> {
  const page = new ReadPage([]);
  await page.open(address, status);
  return page;
}

/** Signs in as the form does. @returns the cookie of a new session. */
export async function sessionOf({ url, apiKey }: Server, address: string) {
  const path = /^\/o\/[^/]+/.exec(new URL(address).pathname)?.[0] ?? '';
  const body = new URLSearchParams({ key: apiKey, next: path });
  const response = await fetch(`${url}${path}/sign-in`, { method: 'POST', body, redirect: 'manual' });
  const cookie = response.headers.getSetCookie().find((one) => one.startsWith('tearsheet_session='));
  return { name: 'tearsheet_session', value: /=([^;]+)/.exec(cookie ?? '')?.[1] ?? '', path };
}

const MOST_REDIRECTS = 5;

interface Shown {
  root: ReturnType<typeof parseDocument>;
  text: string;
  url: string;
  status: number;
}

/** A page that is open. The answers of its links and forms replace it. */
export class ReadPage extends Part {
  readonly #shown: Shown;
  /** Without paths and hosts. */
  readonly #cookies: Map<string, string>;

  constructor(cookies: Iterable<[string, string]>) {
    const shown: Shown = { root: parseDocument(''), text: '', url: '', status: 0 };
    super(
      () => shown.root,
      () => undefined,
      'page',
    );
    this.#shown = shown;
    this.#cookies = new Map(cookies);
  }

  get url(): string {
    return this.#shown.url;
  }

  get status(): number {
    return this.#shown.status;
  }

  /** The HTML. */
  get text(): string {
    return this.#shown.text;
  }

  /** @param status that the answer must have. */
  async open(address: string, status = 200): Promise<void> {
    this.#shown.url = '';
    await this.#show(address);
    expect(this.status).toBe(status);
  }

  /** Follows a link of this page, or sends the form of a button. @returns the address and the status of the answer. */
  async proceed(control: Part): Promise<{ url: string; status: number }> {
    const { address, isPost, isMultipart, fields } = requestOf(control);
    const url = new URL(address, this.url);
    const body = isMultipart ? new FormData() : new URLSearchParams();
    for (const [name, value] of fields) Reflect.apply(body.append, body, [name, value]);
    if (!isPost && fields.length > 0) url.search = String(body);
    await this.#show(url.href, isPost ? { method: 'POST', body } : {});
    return { url: this.url, status: this.status };
  }

  async #show(address: string, init: RequestInit = {}): Promise<void> {
    let url = new URL(address);
    let response = await this.#send(url, init);
    for (let redirects = 0; redirects < MOST_REDIRECTS && response.headers.has('location'); redirects += 1) {
      url = new URL(response.headers.get('location') ?? '', url);
      response = await this.#send(url, {});
    }
    const text = await response.text();
    Object.assign(this.#shown, { text, root: parseDocument(text), url: url.href, status: response.status });
  }

  async #send(address: URL, init: RequestInit): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { cookie, ...(this.url !== '' && { referer: this.url }) };
    const response = await fetch(address, {
      ...init,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }
}
