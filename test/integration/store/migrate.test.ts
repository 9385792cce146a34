import { afterAll, expect, test } from 'vitest';
import { openStore } from '../../../src/store/database/database.ts';
import { migrate } from '../../../src/store/database/migrate.ts';
import { testDatabase } from '../../support/database.ts';

const first = await testDatabase();
const second = await testDatabase();
afterAll(async () => {
  await first.close();
  await second.close();
});

test('every test gets a migrated database of its own', async () => {
  const [one, two] = [openStore({ url: first.url }), openStore({ url: second.url })];
  await one.pool.query(`insert into organizations (id, slug, webhook_secret) values (gen_random_uuid(), 'a', 's')`);
  const { rowCount } = await two.pool.query('select 1 from organizations');
  expect(rowCount).toBe(0);
  await Promise.all([one.close(), two.close()]);
});

test('migrating again applies nothing', async () => {
  expect(await migrate(first.url)).toEqual([]);
});

test('processes that migrate at the same moment wait for each other', async () => {
  expect(await Promise.all([1, 2, 3, 4].map(() => migrate(second.url)))).toEqual([[], [], [], []]);
});
