/** Sends the cookies and headers of a request only to the site. */
import type { Protocol } from 'devtools-protocol';
import type { NamedValue } from '../../domain/pageAccess.ts';
import type { CdpSession } from '../browser/cdp.ts';

/**
 * The cookies are for the host alone. Scripts of the page, also those of ads, cannot read them.
 * @throws Error that names a cookie that the browser does not accept.
 */
export async function setCookies(session: CdpSession, site: string, cookies: readonly NamedValue[]): Promise<void> {
  const secure = new URL(site).protocol === 'https:';
  for (const { name, value } of cookies) {
    const cookie = { name, value, url: site, path: '/', secure, httpOnly: true, sameSite: 'Lax' as const };
    const { success } = await session.send('Network.setCookie', cookie);
    if (!success) throw new Error(`The browser does not accept the cookie ${name}.`);
  }
}

/** Adds headers to requests to the origin of the site. Chromium takes none of them to the next address of a redirect. */
export class SiteHeaders {
  readonly #origin: string;
  readonly #headers: readonly NamedValue[];

  constructor(site: string, headers: readonly NamedValue[]) {
    this.#origin = new URL(site).origin;
    this.#headers = headers;
  }

  /** The requests to pause. */
  get patterns(): readonly Protocol.Fetch.RequestPattern[] {
    return this.#headers.length === 0 ? [] : [{ urlPattern: `${this.#origin}/*` }];
  }

  /** @returns all headers of the request and these; undefined for a request to another origin. */
  addedTo({ url, headers }: Protocol.Network.Request): { headers: Protocol.Fetch.HeaderEntry[] } | undefined {
    if (this.#headers.length === 0 || URL.parse(url)?.origin !== this.#origin) return undefined;
    const own = new Set(this.#headers.map(({ name }) => name.toLowerCase()));
    const others = Object.entries(headers).filter(([name]) => !own.has(name.toLowerCase()));
    return { headers: [...others.map(([name, value]) => ({ name, value })), ...this.#headers] };
  }
}
