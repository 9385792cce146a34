import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import { createPublicApi } from '../../src/api/public/app.ts';
import type { Services } from '../../src/api/public/services.ts';
import { ArtifactNotFoundError, type ArtifactStore } from '../../src/artifacts/store.ts';
import { readInstallation } from '../../src/core/jobs/installation.ts';
import { createOrganization, type NewOrganization } from '../../src/core/organizations/organizations.ts';
import { openStore, type Store } from '../../src/db/database.ts';
import type { Enqueuer } from '../../src/db/queue.ts';
import { DEFAULT_LIMITS } from '../../src/domain/limits.ts';
import { DEFAULT_UPLOAD_LIMITS } from '../../src/domain/uploads.ts';
import { createGuard } from '../../src/egress/guard.ts';
import { createPages } from '../../src/pages/pages.ts';
import { createErrorPages } from '../../src/pages/routes/errorPages.ts';
import { testDatabase } from './database.ts';
import { startListener } from './listeners.ts';
import { TEST_KEY_RING } from './testKeys.ts';
import { createTestLog, type LogLine } from './testLog.ts';

export const PUBLIC_URL = 'https://shots.example';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes.
export type Json = any;

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: Json;
}

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

export interface TestApi {
  readonly url: string;
  readonly databaseUrl: string;
  readonly store: Store;
  readonly organization: NewOrganization;
  /** Lines of the log. */
  readonly lines: readonly LogLine[];
  /** As it stands: no key, no content type. */
  send(sent: Sent): Promise<Reply>;

  /** With the organization's key, under its path. */
  get(path: string): Promise<Reply>;
  remove(path: string): Promise<Reply>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** Starts another process's API on the same database, with other options. @returns its address. */
  startReplica(options: Partial<Services>, more?: { readonly withPages: boolean }): Promise<string>;
  /** Rows of a table. */
  count(table: string): Promise<number>;
  close(): Promise<void>;
}

/** The public API over a database of its own. Its queue entries go into the table `queued`, in the caller's transaction. */
export async function startPublicApi(overrides: Partial<Services> = {}): Promise<TestApi> {
  const database = await testDatabase();
  const store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  await store.pool.query('create table queued (name text not null, payload jsonb not null)');
  const organization = await createOrganization(store.db, { slug: 'acme' });
  const { secret } = await readInstallation(store.db);
  const lines: LogLine[] = [];
  const options: Services = {
    store,
    secret,
    queue: queueInTable,
    publicUrl: PUBLIC_URL,
    limits: DEFAULT_LIMITS,
    uploadLimits: DEFAULT_UPLOAD_LIMITS,
    log: createTestLog((line) => lines.push(line)),
    artifacts: memoryArtifacts(new Map()),
    guard: createGuard({ allow: [], lookup: () => Promise.resolve([{ address: '93.184.216.34', family: 4 }]) }),
    ...overrides,
  };
  const listeners = [await startListener(createServer(createPublicApi(options)))];
  const url = listeners[0]?.url ?? '';
  const send = (sent: Sent) => exchange(url, sent);
  const authorization = `Bearer ${organization.api_key}`;
  const base = '/api/v1/orgs/acme/';
  return {
    url,
    databaseUrl: database.url,
    store,
    organization,
    lines,
    send,
    get: (path) => send({ path: base + path, headers: { authorization } }),
    remove: (path) => send({ method: 'DELETE', path: base + path, headers: { authorization } }),
    post: (path, body, headers = {}) =>
      send({
        method: 'POST',
        path: base + path,
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    startReplica: async (more, { withPages } = { withPages: false }) => {
      const services = { ...options, ...more, subscribe: () => () => undefined };
      const pages = { router: createPages(services), errorPages: createErrorPages(services) };
      const replica = await startListener(createServer(createPublicApi(services, withPages ? pages : undefined)));
      listeners.push(replica);
      return replica.url;
    },
    count: async (table) => {
      const { rows } = await sql<{ count: string }>`select count(*) from ${sql.table(table)}`.execute(store.db);
      return Number(rows[0]?.count);
    },
    close: async () => {
      for (const listener of listeners) await listener.close();
      await store.close();
      await database.close();
    },
  };
}

const queueInTable: Enqueuer = {
  enqueue: async (transaction, name, payload) => {
    await sql`insert into queued values (${name}, ${JSON.stringify(payload)}::jsonb)`.execute(transaction);
  },
};

/** Pictures in a map, with addresses of their own where `baseUrl` is given. */
export function memoryArtifacts(kept: Map<string, Buffer>, baseUrl?: string): ArtifactStore {
  const url = (key: string) => Promise.resolve(baseUrl && `${baseUrl}/${key}`);
  return {
    put: (key, bytes) => Promise.resolve(void kept.set(key, bytes)),
    putStream: async (key, chunks) => {
      const parts: Buffer[] = [];
      for await (const chunk of chunks) parts.push(chunk);
      kept.set(key, Buffer.concat(parts));
    },
    discardStream: (key) => Promise.resolve(void kept.delete(key)),
    get: (key) => {
      const bytes = kept.get(key);
      if (bytes === undefined) return Promise.reject(new ArtifactNotFoundError(key));
      return Promise.resolve({ bytes, contentType: 'image/png', size: bytes.length });
    },
    getStream: async (key) => {
      const bytes = kept.get(key);
      if (bytes === undefined) throw new ArtifactNotFoundError(key);
      return { bytes: Readable.from([bytes]), contentType: 'application/octet-stream', size: bytes.length };
    },
    sizeOf: (key) => Promise.resolve(kept.get(key)?.length),
    delete: (key) => Promise.resolve(void kept.delete(key)),
    uploadRequest: () => Promise.resolve(undefined),
    downloadUrl: url,
    clientOrigin: () => Promise.resolve(baseUrl && new URL(baseUrl).origin),
    close: () => undefined,
  };
}

/** Plain node:http: fetch would merge headers that are sent twice. */
export function exchange(url: string, { method = 'GET', path, headers = {}, body }: Sent): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const outgoing = request(
      url + path,
      { method, headers: { ...length, ...headers }, timeout: 30_000 },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const isJson = incoming.headers['content-type']?.includes('json') === true && text !== '';
          const json: Json = isJson ? JSON.parse(text) : undefined;
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
