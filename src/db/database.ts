import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { KeyRing } from '../lib/keyRing.ts';
import { KeyRingPlugin } from './keyRingPlugin.ts';
import { preparingPool } from './preparingPool.ts';
import type { Schema } from './schema.ts';

export type Database = Kysely<Schema>;
/** A database or a transaction on it: what every query function takes first. */
export type Queryable = Database | Transaction<Schema>;

export interface Store {
  readonly db: Database;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly url: string;
  readonly maxConnections?: number;
  /** Seals and opens stored secrets. */
  readonly keyRing: KeyRing;
  /** Called for errors of idle connections (a restarted server); the pool replaces them by itself. */
  readonly onError?: (error: Error) => void;
  /** Called for each new connection. */
  readonly onConnect?: () => void;
}

/** Opens a pool; nothing connects before the first query. Statements end after 30 s, waits for a connection after 10 s. */
export function openStore(options: StoreOptions): Store {
  const { url, maxConnections = 10, keyRing, onError = () => undefined, onConnect = () => undefined } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 60_000,
    application_name: 'tearsheet',
  });
  let isClosed = false;
  pool.on('error', (error) => {
    // `end` of the pool resolves before its sockets have closed; a server that stops then ends them with an error.
    if (!isClosed) onError(error);
  });
  pool.on('connect', (client) => {
    // The failed queries report this error. Without a listener, the error would end the process.
    client.on('error', () => undefined);
    onConnect();
  });
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: preparingPool(pool) }),
    plugins: [new KeyRingPlugin(keyRing)],
  });
  const close = async (): Promise<void> => {
    isClosed = true;
    await db.destroy();
    // Kysely ends the pool only if it has sent a query itself.
    if (!pool.ending) await pool.end();
  };
  return { db, pool, close };
}
