import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { errorMessage } from '../lib/errorMessage.ts';
import { sleep } from '../lib/sleep.ts';

const FOLDER = new URL('./migrations/', import.meta.url);
/** Any number, the same for every process: one migrates, the others wait. */
const LOCK = 7_355_608;

/** The first line of files whose statements run one by one, because they must not be in a transaction. */
const ONE_BY_ONE = '-- One by one';
/** Building the indexes of a large database takes minutes. */
const LOCK_WAIT_MS = 30 * 60_000;
const LOCK_PAUSE_MS = 200;

/**
 * Applies the numbered SQL files that the database lacks, under an advisory lock. Each file is one transaction, unless its
 * first line says that its statements run one by one. @returns their names.
 */
export async function migrate(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await lock(client);
    await client.query(
      'create table if not exists schema_migrations (name text primary key, sha256 text not null, applied_at timestamptz not null default now())',
    );
    const applied = await applyMissing(client);
    await client.query('insert into installation (secret) values ($1) on conflict do nothing', [randomBytes(32)]);
    return applied;
  } finally {
    await client.end();
  }
}

/** A process that waited inside a statement would make `create index concurrently` wait for it, and so for itself. */
async function lock(client: pg.Client): Promise<void> {
  for (const end = Date.now() + LOCK_WAIT_MS; Date.now() < end; await sleep(LOCK_PAUSE_MS)) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [LOCK]);
    if (rows[0]?.locked === true) return;
  }
  throw new Error(`Another process migrates the database for more than ${LOCK_WAIT_MS / 60_000} minutes.`);
}

async function applyMissing(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; sha256: string }>('select name, sha256 from schema_migrations');
  const known = new Map(rows.map((row) => [row.name, row.sha256]));
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort();
  const applied: string[] = [];
  for (const name of names) {
    const sql = await readFile(new URL(name, FOLDER), 'utf8');
    const sha256 = createHash('sha256').update(sql).digest('hex');
    if (known.has(name)) {
      if (known.get(name) !== sha256)
        throw new Error(`Migration ${name} was changed after it had been applied; add a new one instead.`);
      continue;
    }
    await apply(client, { name, sql, sha256 });
    applied.push(name);
  }
  return applied;
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly sha256: string;
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  const run = migration.sql.startsWith(ONE_BY_ONE) ? applyOneByOne : applyInTransaction;
  await run(client, migration).catch((error: unknown) => {
    throw new Error(`Migration ${migration.name} failed: ${errorMessage(error)}`, { cause: error });
  });
}

async function applyInTransaction(client: pg.Client, { name, sql, sha256 }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(sql);
    await note(client, { name, sha256 });
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

/** Repeats all statements after a failure. They must do nothing the second time. */
async function applyOneByOne(client: pg.Client, { name, sql, sha256 }: Migration): Promise<void> {
  const statements = sql.replaceAll(/^--.*$/gm, '').split(';');
  for (const statement of statements.filter((text) => text.trim() !== '')) {
    await dropInvalidIndexes(client, statement);
    await client.query(statement);
  }
  await note(client, { name, sha256 });
}

/** Drops the index of the statement if a build that broke off left it. Such an index is written but never used. */
async function dropInvalidIndexes(client: pg.Client, statement: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(`select c.oid::regclass::text as name
    from pg_index i join pg_class c on c.oid = i.indexrelid
    where not i.indisvalid and c.relnamespace = current_schema()::regnamespace`);
  const left = rows.filter(({ name }) => statement.includes(` ${name} `));
  for (const { name } of left) await client.query(`drop index concurrently ${name}`);
}

async function note(client: pg.Client, { name, sha256 }: Omit<Migration, 'sql'>): Promise<void> {
  await client.query('insert into schema_migrations (name, sha256) values ($1, $2)', [name, sha256]);
}
