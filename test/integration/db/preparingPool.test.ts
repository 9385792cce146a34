import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { openStore } from '../../../src/db/database.ts';
import { testDatabase } from '../../support/database.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';

const database = await testDatabase();
// One connection, so that whatever one use leaves behind meets the next.
const store = openStore({ url: database.url, maxConnections: 1, keyRing: TEST_KEY_RING });
const { db } = store;
afterAll(async () => {
  await store.close();
  await database.close();
});

const inTransaction = () => sql<{ at: Date; began: Date }>`select now() as at, clock_timestamp() as began`;

test('the statements of a transaction see the same time and are rolled back together', async () => {
  await sql`create table kept (n integer primary key)`.execute(db);
  const times = await db.transaction().execute(async (tx) => {
    const first = await inTransaction().execute(tx);
    await sql`insert into kept values (1)`.execute(tx);
    const second = await inTransaction().execute(tx);
    return [first.rows[0]?.at.getTime(), second.rows[0]?.at.getTime()];
  });
  expect(times[0]).toBe(times[1]);
  const undone = db.transaction().execute(async (tx) => {
    await sql`insert into kept values (2)`.execute(tx);
    throw new Error('changed my mind');
  });
  await expect(undone).rejects.toThrow('changed my mind');
  expect((await sql`select n from kept`.execute(db)).rows).toEqual([{ n: 1 }]);
});

test('a transaction whose first statement fails leaves a connection that works', async () => {
  const failed = db.transaction().execute((tx) => sql`insert into kept values (1)`.execute(tx));
  await expect(failed).rejects.toMatchObject({ code: '23505' });
  expect((await sql`select n from kept`.execute(db)).rows).toEqual([{ n: 1 }]);
});

test('a transaction without statements succeeds or fails without an effect', async () => {
  expect(await db.transaction().execute(() => Promise.resolve('done'))).toBe('done');
  await expect(db.transaction().execute(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  const { rows } = await sql<{ state: string }>`
    select pg_current_xact_id_if_assigned() is null as state`.execute(db);
  expect(rows).toHaveLength(1);
  // Outside of a transaction two statements have two times.
  const times = [await inTransaction().execute(db), await inTransaction().execute(db)];
  expect(times[0]?.rows[0]?.at.getTime()).toBeLessThanOrEqual(times[1]?.rows[0]?.began.getTime() ?? 0);
});

test('a repeated statement is prepared, unless it selects all columns', async () => {
  for (let i = 0; i < 5; i += 1) {
    await sql`select ${i}::integer as prepared_one`.execute(db);
    await sql`select * from kept where n = ${i}`.execute(db);
  }
  const { rows } = await sql<{ statement: string }>`
    select statement from pg_prepared_statements where from_sql is false and name <> ''`.execute(db);
  const prepared = rows.map(({ statement }) => statement);
  expect(prepared.filter((text) => text.includes('prepared_one'))).toHaveLength(1);
  expect(prepared.filter((text) => text.includes('from kept where'))).toEqual([]);
});

test('a connection that the server ends fails its transaction, and the pool makes a new one', async () => {
  const cut = db.transaction().execute((tx) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx));
  await expect(cut).rejects.toThrow();
  await expect.poll(async () => (await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
});
