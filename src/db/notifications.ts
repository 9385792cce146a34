/** PostgreSQL NOTIFY on one channel. A transaction that changes something notifies the pages and the controller. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Queryable } from './database.ts';

const CHANNEL = 'tearsheet';
const RETRY_MS = [50, 100, 250, 500, 1_000, 2_000, 5_000];

/** The changed rows, as UUIDs. An empty object means that anything may have changed, after a lost connection. */
export interface Change {
  readonly set?: string;
  readonly ad?: string;
  readonly job?: string;
  /** Name of the job's ScreenshotJob. */
  readonly resource?: string;
  readonly delivery?: string;
  /** Id of the organization whose connector was checked. */
  readonly connector?: string;
  /** True: a delivery has become due. */
  readonly due?: boolean;
  /** A person whose session or membership changed. */
  readonly person?: string;
  /** The organization of a set that the lists do not show yet. */
  readonly organization?: string;
}

/** Sent when the transaction commits, not at all when it does not. */
export async function notify(transaction: Queryable, change: Change): Promise<void> {
  await sql`select ${notification(change)}`.execute(transaction);
}

/** The call of {@link notify}, for a statement that also changes rows. */
export const notification = (change: Change) => sql`pg_notify(${CHANNEL}, ${JSON.stringify(change)}::text)`;

/** Does the same as {@link notify} with several changes. */
export async function notifyAll(transaction: Queryable, changes: readonly Change[]): Promise<void> {
  const payloads = changes.map((change) => JSON.stringify(change));
  await sql`select pg_notify(${CHANNEL}, payload) from unnest(${payloads}::text[]) as payload`.execute(transaction);
}

interface NotificationOptions {
  /** Called for each lost or refused connection, which is retried without end, at most 5 s apart, and for each handler that throws. */
  readonly onError?: (error: Error) => void;
}

/** One connection for many listeners of a process. */
export interface Notifications {
  /** @returns a function that ends the subscription. */
  subscribe(handler: (change: Change) => void): () => void;
  /** Resolves when the first connection listens. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** Receives all changes on a separate connection. After a reconnect, the handlers get `{}`. */
export function openNotifications(url: string, { onError = () => undefined }: NotificationOptions = {}): Notifications {
  const handlers = new Set<(change: Change) => void>();
  const closing = new AbortController();
  const { signal } = closing;
  const ready = Promise.withResolvers<void>();
  const dispatch = (change: Change): void => {
    for (const handler of [...handlers]) {
      try {
        handler(change);
      } catch (error) {
        // An exception in an event of the connection would end the process and keep the change from the other handlers.
        onError(asError(error));
      }
    }
  };
  const run = async (): Promise<void> => {
    for (let failures = 0, connections = 0; !signal.aborted; ) {
      const client = newClient(url);
      try {
        await subscribe(client, (text) => dispatch(read(text)));
        failures = 0;
        connections += 1;
        ready.resolve();
        if (connections > 1) dispatch({});
        await lost(client, signal);
      } catch (error) {
        if (!signal.aborted) onError(asError(error));
      }
      // The connection is gone or unusable; closing it may fail as well.
      await client.end().catch(() => undefined);
      await sleep(RETRY_MS[failures++] ?? 5_000, undefined, { signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    subscribe: (handler) => {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    ready: ready.promise,
    close: async () => {
      closing.abort();
      ready.resolve();
      await running;
    },
  };
}

function newClient(url: string): pg.Client {
  return new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'tearsheet-listen',
  });
}

async function subscribe(client: pg.Client, onPayload: (payload: string) => void): Promise<void> {
  // Without a listener, an error of the idle connection would end the process; `lost` sees the same one.
  client.on('error', () => undefined);
  client.on('notification', ({ payload }) => onPayload(payload ?? ''));
  await client.connect();
  await client.query(`listen ${CHANNEL}`);
}

/** Settles when the connection breaks or `signal` aborts. A half-open connection is detected at the next query. */
async function lost(client: pg.Client, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const probe = setInterval(() => {
    const late = setTimeout(() => reject(new Error('The listening connection does not answer.')), 5_000);
    client
      .query('select 1')
      .catch(reject)
      .finally(() => clearTimeout(late));
  }, 10_000);
  const onAbort = () => resolve();
  client.once('error', reject);
  client.once('end', () => reject(new Error('The listening connection was closed.')));
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) resolve();
  await promise.finally(() => {
    clearInterval(probe);
    signal.removeEventListener('abort', onAbort);
  });
}

/** A payload that is not ours counts as "anything may have changed". */
function read(payload: string): Change {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
