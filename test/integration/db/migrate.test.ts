import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { openStore } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { sleep } from '../../../src/lib/sleep.ts';
import { testDatabase } from '../../support/database.ts';
import { runStatement } from '../../support/runStatement.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';

const FOLDER = new URL('../../../src/db/migrations', import.meta.url);
const first = await testDatabase();
const second = await testDatabase();
afterAll(async () => {
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
  expect(applied.flat()).toEqual(readdirSync(FOLDER).sort());
});

test('a later migration checks no row of a table that grows, because that would lock the table', async () => {
  const alone = await testDatabase();
  await runStatement(alone.url, 'drop schema public cascade; create schema public');
  await runStatement(alone.url, readFileSync(new URL(`${FOLDER}/0001_schema.sql`), 'utf8'));
  const [before, after] = [await checksOfLargeTables(alone.url), await checksOfLargeTables(first.url)];
  await alone.close();
  expect(before.length).toBeGreaterThan(5);
  expect(after.filter((check) => !before.includes(check))).toEqual([]);
});

/** @returns the names of the checks that hold for all rows. */
async function checksOfLargeTables(url: string): Promise<string[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ name: string }>(`
    select conrelid::regclass || '.' || conname as name from pg_constraint where contype = 'c' and convalidated
      and conrelid::regclass::text = any('{ads,audit_log,deliveries,delivery_attempts,events,images,
        screenshot_jobs,screenshot_sets,screenshots}')`);
  await client.end();
  return rows.map(({ name }) => name);
}

test('a migration that waits for a table lets others pass, and tries again', async () => {
  await runStatement(
    second.url,
    `alter table screenshot_sets drop column name cascade; delete from schema_migrations where name = '0006_set_names.sql'`,
  );
  const [reader, other] = [1, 2].map(() => new pg.Client(second.url)) as [pg.Client, pg.Client];
  await Promise.all([reader.connect(), other.connect()]);
  await reader.query('begin; select from screenshot_sets');
  const migrating = migrate(second.url);
  await sleep(4_000);
  // It would wait as long as the reader, if the migration kept its place in the queue.
  await other.query(`set statement_timeout = '8s'; select from screenshot_sets`);
  await reader.query('commit');
  expect(await migrating).toEqual(['0006_set_names.sql']);
  await Promise.all([reader.end(), other.end()]);
});

test('migrations of a later version do not prevent a start of this one', async () => {
  await runStatement(second.url, `insert into schema_migrations (name, sha256) values ('9999_later.sql', '')`);
  expect(await migrate(second.url)).toEqual([]);
});

test('a migration that was changed after it had been applied is an error', async () => {
  await runStatement(second.url, `update schema_migrations set sha256 = '' where name = '0001_schema.sql'`);
  await expect(migrate(second.url)).rejects.toThrow('0001_schema.sql was changed after it had been applied');
});

test('a database of an unreleased version is an error that says what to do', async () => {
  await runStatement(
    second.url,
    `update schema_migrations set name = '0001_initial.sql' where name = '0001_schema.sql'`,
  );
  await expect(migrate(second.url)).rejects.toThrow(/unreleased version .* Create an empty database/);
});
