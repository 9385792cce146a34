/** PostgreSQL NOTIFY on one channel. A transaction that changes something notifies the pages and the controller. */
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

interface Listener {
  /** Resolves when the first connection listens. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

interface NotificationOptions {
  /** Called for each lost or refused connection, which is retried without end, at most 5 s apart, and for each handler that throws. */
  readonly onError?: (error: Error) => void;
}

/** Receives all changes on a separate connection. After a reconnect `handler` gets `{}`. */
function listen(url: string, handler: (change: Change) => void, options: NotificationOptions = {}): Listener {
  const { onError = () => undefined } = options;
  const closing = new AbortController();
  let client: pg.Client | undefined;
  const ready = Promise.withResolvers<void>();

  const run = async (): Promise<void> => {
    for (let failures = 0, connections = 0; !closing.signal.aborted; ) {
      client = newClient(url);
      try {
        await subscribe(client, (text) => handler(read(text)));
        failures = 0;
        connections += 1;
        ready.resolve();
        if (connections > 1) handler({});
        await lost(client, closing.signal);
      } catch (error) {
        if (!closing.signal.aborted) onError(asError(error));
      }
      // The connection is gone or unusable; closing it may fail as well.
      await client.end().catch(() => undefined);
      if (!closing.signal.aborted) await pause(RETRY_MS[failures++] ?? 5_000, closing.signal);
    }
  };
  const running = run();
  return {
    ready: ready.promise,
    close: async () => {
      closing.abort();
      ready.resolve();
      await running;
    },
  };
}

/** One connection for many listeners of a process. */
export interface Notifications {
  /** @returns a function that ends the subscription. */
  subscribe(handler: (change: Change) => void): () => void;
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

export function openNotifications(url: string, options: NotificationOptions = {}): Notifications {
  const handlers = new Set<(change: Change) => void>();
  const listener = listen(
    url,
    (change) => {
      for (const handler of [...handlers]) {
        try {
          handler(change);
        } catch (error) {
          // An exception in an event of the connection would end the process and keep the change from the other handlers.
          options.onError?.(asError(error));
        }
      }
    },
    options,
  );
  return {
    subscribe: (handler) => {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    ready: listener.ready,
    close: () => listener.close(),
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
function lost(client: pg.Client, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = setInterval(() => {
      const late = setTimeout(() => finish(new Error('The listening connection does not answer.')), 5_000);
      client.query('select 1').then(
        () => clearTimeout(late),
        (error: unknown) => {
          clearTimeout(late);
          finish(asError(error));
        },
      );
    }, 10_000);
    const finish = (error?: Error) => {
      clearInterval(probe);
      signal.removeEventListener('abort', onAbort);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onAbort = () => finish();
    client.once('error', finish);
    client.once('end', () => finish(new Error('The listening connection was closed.')));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) finish();
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
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
