/** A browser without scripts: it keeps cookies, and follows no redirect by itself. */
export interface WebAnswer {
  readonly status: number;
  readonly text: string;
  readonly location: string;
  readonly headers: Headers;
}

export class WebBrowser {
  readonly #origin: string;
  /** Without paths and hosts. */
  readonly cookies = new Map<string, string>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<WebAnswer> {
    return this.#send(path, { headers });
  }

  post(path: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}): Promise<WebAnswer> {
    return this.#send(path, { method: 'POST', body: new URLSearchParams(fields), headers });
  }

  /** Sends a form with the token that the forms of this page have. */
  async submit(page: string, path: string, fields: Record<string, string> = {}): Promise<WebAnswer> {
    const { text } = await this.get(page);
    return this.post(path, { form: /name="form" value="([^"]+)"/.exec(text)?.[1] ?? '', ...fields });
  }

  async #send(path: string, init: RequestInit & { readonly headers: Record<string, string> }): Promise<WebAnswer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(new URL(path, this.#origin), {
      ...init,
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0', cookie, ...init.headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(60_000),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    const location = response.headers.get('location') ?? '';
    return { status: response.status, text: await response.text(), location, headers: response.headers };
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}
