import { Pool } from 'undici';

export interface Load {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: (n: number) => string;
  readonly requests: number;
  readonly connections: number;
}

/** Sends the requests over that many kept connections. @returns answered 201 a second. @throws when one is answered otherwise. */
export async function requestsPerSecond({ origin, path, headers, body, requests, connections }: Load): Promise<number> {
  const pool = new Pool(origin, { connections });
  let next = 0;
  const worker = async () => {
    while (next < requests) {
      const n = next++;
      const { statusCode, body: answer } = await pool.request({ path, method: 'POST', headers, body: body(n) });
      const text = await answer.text();
      if (statusCode !== 201) throw new Error(`${origin}${path} answered ${statusCode}: ${text}`);
    }
  };
  const start = process.hrtime.bigint();
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  await pool.close();
  return requests / seconds;
}
