/** Calls the public API of a `tearsheet dev` that a benchmark started. */

/** The first line of `tearsheet dev --json`. */
export interface BenchService {
  readonly url: string;
  readonly organization: string;
  readonly api_key: string;
  readonly metrics_url: string;
}

/** Posts `body`, or reads if there is none. @throws Error unless the answer is a success. */
export async function askService<T>(
  { url, organization, api_key }: BenchService,
  route: string,
  body?: object,
): Promise<T> {
  const response = await fetch(`${url}/api/v1/orgs/${organization}${route}`, {
    headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(30_000),
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${route} failed with status ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
