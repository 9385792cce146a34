import { afterAll, expect, test } from 'vitest';
import { openStore } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { testDatabase } from '../../support/database.ts';
import { runStatement } from '../../support/runStatement.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';

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
  expect(applied.flat()).toEqual(['0001_schema.sql']);
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
