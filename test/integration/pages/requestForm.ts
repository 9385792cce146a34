/** Sends the form of a new request as a browser without script does. */
import { randomUUID } from 'node:crypto';
import { formToken, readSession } from '../../../src/pages/signIn/viewer.ts';
import type { PagesServer } from './pagesServer.ts';

export interface Got {
  readonly status: number;
  readonly text: string;
  readonly location: string | null;
}

export type Fields = readonly (readonly [name: string, value: string | File])[];

const GIF = new Uint8Array(Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'));
/** @param rest after the image. Unless given, each file has other bytes. */
export const gif = (name: string, rest: Uint8Array<ArrayBuffer> | string = randomUUID()) => new File([GIF, rest], name);

/** @returns the ids of the ads on a page. */
export const adsOn = ({ text }: Pick<Got, 'text'>): string[] =>
  [...text.matchAll(/name="ad" value="([^"]+)"/g)].map(([, id = '']) => id);

export const KEY = '11111111-2222-4333-8444-555555555555';

/** The fields of a form without a fault: two sites on two devices. */
export const complete = (ad: string, more: Fields = []): Fields => [
  ['key', KEY],
  ['action', 'request'],
  ['ad', ad],
  ['sites', 'news.example\r\nhttps://blog.example/travel\r\nNEWS.example/\r\n'],
  ['device', 'desktop'],
  ['device', 'iphone'],
  ['campaign', 'Autumn'],
  ...more,
];

/** A person who is signed in. */
export class RequestForm {
  readonly #server: PagesServer;
  readonly cookie: string;
  readonly token: string;

  private constructor(server: PagesServer, cookie: string, token: string) {
    this.#server = server;
    this.cookie = cookie;
    this.token = token;
  }

  static async open(server: PagesServer, key = server.apiKey, slug = 'demo'): Promise<RequestForm> {
    const response = await fetch(`${server.url}/o/${slug}/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ key, next: `/o/${slug}` }),
      redirect: 'manual',
    });
    const cookie = (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const session = readSession(server.secret, slug, cookie.split('=')[1] ?? '');
    if (session === undefined) throw new Error('There is no session.');
    return new RequestForm(server, cookie, formToken(server.secret, session));
  }

  /** @param token the form token, unless that of the session. */
  async post(fields: Fields, token = this.token): Promise<Got> {
    const body = new FormData();
    for (const [name, value] of [['form', token], ...fields] as const) body.append(name, value);
    return this.#send('/o/demo/new', body);
  }

  /** Sends a form with files of another page. */
  async postFile(path: string, fields: Fields): Promise<Got> {
    const body = new FormData();
    for (const [name, value] of [['form', this.token], ['next', path.replace(/\/page$/, '')], ...fields] as const)
      body.append(name, value);
    return this.#send(path, body);
  }

  /** Sends a plain form of another page. */
  async postTo(path: string, fields: Readonly<Record<string, string>>): Promise<Got> {
    return this.#send(path, new URLSearchParams({ form: this.token, ...fields }));
  }

  async #send(path: string, body: FormData | URLSearchParams): Promise<Got> {
    const response = await fetch(this.#server.url + path, {
      method: 'POST',
      headers: { cookie: this.cookie },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
    });
    return { status: response.status, text: await response.text(), location: response.headers.get('location') };
  }

  async get(path: string): Promise<string> {
    const response = await fetch(this.#server.url + path, { headers: { cookie: this.cookie } });
    return response.text();
  }

  /** An uploaded creative that was rendered. */
  async newAd(name = 'banner_300x250.gif'): Promise<string> {
    const [id = ''] = adsOn(
      await this.post([
        ['action', 'add'],
        ['files', gif(name)],
      ]),
    );
    await this.#server.store.db.updateTable('ads').set({ status: 'uploaded' }).where('id', '=', id).execute();
    return id;
  }

  /** Rows of a table. */
  async count(table: 'screenshot_sets' | 'uploads'): Promise<number> {
    const { rows } = await this.#server.store.pool.query<{ count: string }>(`select count(*) from ${table}`);
    return Number(rows[0]?.count);
  }
}
