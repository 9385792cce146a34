import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { errorMessage } from '../lib/errorMessage.ts';
import { sleep } from '../lib/sleep.ts';
import { LOCKS } from './advisoryLocks.ts';

/** The folder of the SQL files. */
export const MIGRATIONS = new URL('./migrations/', import.meta.url);
/**
 * The last of the 13 files that the baseline replaced. A database with this file has all that the baseline creates. The rows
 * of these files stay, because the version before looks for them after a rollback.
 */
const LAST_BEFORE_BASELINE = '0013_names_of_ads.sql';
const LOCK_WAIT_MINUTES = 30;

/**
 * Applies the numbered SQL files that the database lacks, under an advisory lock, each in a transaction. The first one is the
 * baseline, which creates everything. @returns their names.
 */
export async function migrate(url: string, folder: URL = MIGRATIONS): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await lock(client);
    await client.query(
      'create table if not exists schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
    );
    const applied = await applyMissing(client, folder);
    await client.query('insert into installation (secret) values ($1) on conflict do nothing', [randomBytes(32)]);
    return applied;
  } finally {
    await client.end();
  }
}

/** Until the connection ends. */
async function lock(client: pg.Client): Promise<void> {
  await client.query(`set lock_timeout = '${LOCK_WAIT_MINUTES}min'`);
  await client.query('select pg_advisory_lock($1)', [LOCKS.migration]).catch((error: unknown) => {
    throw new Error(`Cannot get the lock for migrations: ${errorMessage(error)}`, { cause: error });
  });
}

async function applyMissing(client: pg.Client, folder: URL): Promise<string[]> {
  const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migrations');
  const known = new Map(rows.map((row) => [row.name, row.sha256]));
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const baseline = names[0] ?? '';
  const hasTables = known.has(baseline) || known.has(LAST_BEFORE_BASELINE);
  // A later version may have applied more files, but it has the baseline too.
  if (known.size > 0 && !hasTables)
    throw new Error(
      'An unreleased version of Tearsheet created this database, and this version cannot use it. ' +
        'Create an empty database. For `tearsheet dev`, remove its data folder or choose another one.',
    );
  const applied: string[] = [];
  for (const name of names) {
    const sql = await readFile(new URL(name, folder), 'utf8');
    const sha256 = createHash('sha256').update(sql).digest('hex');
    if (!known.has(name) && name === baseline && hasTables) {
      await record(client, { name, sha256 });
    } else if (!known.has(name)) {
      await applyWithRetry(client, { name, sql, sha256 });
      applied.push(name);
    } else if (known.get(name) !== sha256)
      throw new Error(
        `Migration ${name} was changed after it had been applied; add a new one instead. If an unreleased version created this database, create an empty one.`,
      );
  }
  return applied;
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
}

/** All later statements wait behind a lock of a table that the migration waits for, so it waits for a short time and tries again. */
const TABLE_LOCK_SECONDS = 3;
const TRIES = 60;
const RETRY_MS = 2_000;
/** Lock not available, deadlock detected. */
const BUSY: readonly unknown[] = ['55P03', '40P01'];

async function applyWithRetry(client: pg.Client, migration: Migration): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await apply(client, migration);
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      const isBusy = cause instanceof Error && 'code' in cause && BUSY.includes(cause.code);
      if (!isBusy || tries >= TRIES) throw error;
      await sleep(RETRY_MS);
    }
  }
}

async function apply(client: pg.Client, { name, sql, sha256 }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = '${TABLE_LOCK_SECONDS}s'`);
    await client.query(sql);
    await record(client, { name, sha256 });
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw new Error(`Migration ${name} failed: ${errorMessage(error)}`, { cause: error });
  }
}

async function record(client: pg.Client, { name, sha256 }: Omit<Migration, 'sql'>): Promise<void> {
  await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256]);
}
