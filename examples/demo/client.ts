/** A small API client: requests with a key, and error messages with the response. */
export interface AdRecord {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly html_url: string;
  readonly preview_image_url: string | null;
  readonly width: number | null;
  readonly height: number | null;
}

export interface ScreenshotRecord {
  readonly id: string;
  readonly status: string;
  readonly site: { readonly url: string };
  readonly device: { readonly name: string };
  readonly frame: { readonly marker: number | null };
  readonly image_url: string | null;
  readonly reason?: string;
  readonly warnings: readonly { readonly message: string }[];
  readonly width: number | null;
  readonly height: number | null;
  readonly ad: { readonly id: string; readonly name: string; readonly lookup_key: string | null };
}

export interface SetRecord {
  readonly campaign_id: string;
  readonly id: string;
  readonly status: string;
  readonly html_url: string;
  readonly review_notes: string | null;
  readonly screenshots: readonly ScreenshotRecord[];
}

export interface Client {
  post<T>(path: string, body: unknown): Promise<T>;
  get<T>(path: string): Promise<T>;
}

export function createClient(given: { url: string; organization: string; api_key: string }): Client {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${given.url}/api/v1/orgs/${given.organization}${path}`, {
      method,
      headers: { authorization: `Bearer ${given.api_key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} failed with status ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  };
  return { post: (path, body) => call('POST', path, body), get: (path) => call('GET', path) };
}
