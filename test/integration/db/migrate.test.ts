import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { openStore } from '../../../src/db/database.ts';
import { MIGRATIONS, migrate } from '../../../src/db/migrate.ts';
import { sleep } from '../../../src/lib/sleep.ts';
import { testDatabase } from '../../support/database.ts';
import { runStatement } from '../../support/runStatement.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';

const FILES = readdirSync(MIGRATIONS).sort();
const [BASELINE = ''] = FILES;
/** This version's files and one more. */
const LATER = mkdtempSync(path.join(tmpdir(), 'tearsheet-migrations-'));
cpSync(MIGRATIONS, LATER, { recursive: true });
writeFileSync(path.join(LATER, '9998_later.sql'), 'alter table screenshot_sets add column later text;');
const first = await testDatabase();
const second = await testDatabase();
afterAll(async () => {
  rmSync(LATER, { recursive: true });
  await first.close();
  await second.close();
});

test('every test gets a migrated database of its own', async () => {
  const [one, two] = [
    openStore({ url: first.url, keyRing: TEST_KEY_RING }),
    openStore({ url: second.url, keyRing: TEST_KEY_RING }),
  ];
  await one.pool.query(`insert into organizations (id, slug, webhook_secret) values (gen_random_uuid(), 'a', 's')`);
  const { rowCount } = await two.pool.query('select 1 from organizations');
  expect(rowCount).toBe(0);
  await Promise.all([one.close(), two.close()]);
});

test('migrating again applies nothing', async () => {
  expect(await migrate(first.url)).toEqual([]);
});

test('an empty database is migrated once by processes that start at the same moment', async () => {
  await runStatement(second.url, 'drop schema public cascade; create schema public');
  const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(second.url)));
  expect(applied.flat()).toEqual(FILES);
});

test('a later migration checks no row of a table that grows, because that would lock the table', async () => {
  const alone = await testDatabase();
  await runStatement(alone.url, 'drop schema public cascade; create schema public');
  await runStatement(alone.url, readFileSync(new URL(BASELINE, MIGRATIONS), 'utf8'));
  const [before, after] = [await checksOfLargeTables(alone.url), await checksOfLargeTables(first.url)];
  await alone.close();
  expect(before.length).toBeGreaterThan(5);
  expect(after.filter((check) => !before.includes(check))).toEqual([]);
});

/** @returns the names of the checks that hold for all rows. */
async function checksOfLargeTables(url: string): Promise<string[]> {
  const rows = await query<{ name: string }>(
    url,
    `
    select conrelid::regclass || '.' || conname as name from pg_constraint where contype = 'c' and convalidated
      and conrelid::regclass::text = any('{ads,audit_log,deliveries,delivery_attempts,events,images,
        screenshot_jobs,screenshot_sets,screenshots}')`,
  );
  return rows.map(({ name }) => name);
}

test('a migration that waits for a table lets others pass, and tries again', async () => {
  const [reader, other] = [1, 2].map(() => new pg.Client(second.url)) as [pg.Client, pg.Client];
  await Promise.all([reader.connect(), other.connect()]);
  await reader.query('begin; select from screenshot_sets');
  const migrating = migrate(second.url, pathToFileURL(`${LATER}/`));
  await sleep(4_000);
  // It would wait as long as the reader, if the migration kept its place in the queue.
  await other.query(`set statement_timeout = '8s'; select from screenshot_sets`);
  await reader.query('commit');
  expect(await migrating).toEqual(['9998_later.sql']);
  await Promise.all([reader.end(), other.end()]);
});

test('migrations of a later version do not prevent a start of this one', async () => {
  expect(await recorded(second.url)).toContainEqual(expect.objectContaining({ name: '9998_later.sql' }));
  expect(await migrate(second.url)).toEqual([]);
});

test('a migration that was changed after it had been applied is an error', async () => {
  const alone = await testDatabase();
  await runStatement(alone.url, `update schema_migrations set sha256 = '' where name = '${BASELINE}'`);
  await expect(migrate(alone.url)).rejects.toThrow(`${BASELINE} was changed after it had been applied`);
  await alone.close();
});

test('in a database of the version before, only the baseline is recorded, beside the files that it replaced', async () => {
  const alone = await databaseOfOldFiles(['0001_schema.sql', '0012_priorities.sql', '0013_names_of_ads.sql']);
  const [old, schema] = [await recorded(alone.url), await versions(alone.url)];
  expect(await migrate(alone.url)).toEqual([]);
  const baseline = (await recorded(first.url)).find(({ name }) => name === BASELINE);
  expect(new Set(await recorded(alone.url))).toEqual(new Set([...old, baseline]));
  expect(await versions(alone.url)).toEqual(schema);
  expect(await migrate(alone.url)).toEqual([]);
  await alone.close();
});

test('later migrations are applied to a database of the version before', async () => {
  const alone = await databaseOfOldFiles(['0001_schema.sql', '0013_names_of_ads.sql']);
  expect(await migrate(alone.url, pathToFileURL(`${LATER}/`))).toEqual(['9998_later.sql']);
  await alone.close();
});

test('a database of an unreleased version is an error that says what to do', async () => {
  const alone = await databaseOfOldFiles(['0001_schema.sql', '0012_priorities.sql']);
  const old = await recorded(alone.url);
  await expect(migrate(alone.url)).rejects.toThrow(/unreleased version .* Create an empty database/);
  expect(await recorded(alone.url)).toEqual(old);
  await alone.close();
});

/** A database with these files recorded in place of the baseline. */
async function databaseOfOldFiles(names: readonly string[]) {
  const database = await testDatabase();
  const values = names.map((name) => `('${name}', 'of ${name}')`).join(', ');
  await runStatement(
    database.url,
    `delete from schema_migrations where name = '${BASELINE}';
      insert into schema_migrations (name, sha256) values ${values}`,
  );
  return database;
}

async function recorded(url: string) {
  return query<{ name: string; sha256: string }>(url, 'select name, sha256 from schema_migrations');
}

/** All tables, indexes and functions with the transaction that last changed each. */
async function versions(url: string) {
  return query(url, 'select oid, xmin::text from pg_class union all select oid, xmin::text from pg_proc order by 1, 2');
}

async function query<T extends object>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<T>(text);
  await client.end();
  return rows;
}
