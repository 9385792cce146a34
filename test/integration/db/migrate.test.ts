import { afterAll, describe, expect, test } from 'vitest';
import { openStore } from '../../../src/db/database.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { testDatabase } from '../../support/database.ts';
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

test('processes that migrate at the same moment wait for each other', async () => {
  expect(await Promise.all([1, 2, 3, 4].map(() => migrate(second.url)))).toEqual([[], [], [], []]);
});

describe('a migration that builds indexes while others write', () => {
  const name = '0026_list_indexes.sql';
  const query = async (text: string) => {
    const store = openStore({ url: second.url, keyRing: TEST_KEY_RING });
    const { rows } = await store.pool.query(text);
    await store.close();
    return rows;
  };
  const forget = (more: string) => query(`delete from schema_migrations where name = '${name}'; ${more}`);

  test('is applied once by processes that start at the same moment', async () => {
    await forget('drop index events_topic');
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrate(second.url)));
    expect(applied.flat()).toEqual([name]);
  });

  test('replaces the index that a broken build left', async () => {
    await forget(`update pg_index set indisvalid = false where indexrelid = 'events_topic'::regclass`);
    expect(await migrate(second.url)).toEqual([name]);
    expect(await query(`select indisvalid from pg_index where indexrelid = 'events_topic'::regclass`)).toEqual([
      { indisvalid: true },
    ]);
  });
});
