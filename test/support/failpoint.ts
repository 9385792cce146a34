import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';

export interface Failpoint {
  /** How many writes have failed. */
  failed(): Promise<number>;
  lift(): Promise<void>;
}

/** Makes every insert or update of a table fail, inside the transaction that does it. */
export async function failWritesTo(db: Database, table: string): Promise<Failpoint> {
  // A number from a sequence stays used when its transaction rolls back.
  await sql`create sequence failed_on_purpose`.execute(db);
  await sql`
    create or replace function fail_on_purpose() returns trigger language plpgsql as
    $$ begin perform nextval('failed_on_purpose'); raise exception 'failed on purpose'; end $$`.execute(db);
  await sql`
    create trigger on_purpose before insert or update on ${sql.table(table)}
    for each row execute function fail_on_purpose()`.execute(db);
  return {
    failed: async () => {
      const { rows } = await sql<{ count: number }>`
        select case when is_called then last_value::int else 0 end as count from failed_on_purpose`.execute(db);
      return rows[0]?.count ?? 0;
    },
    lift: async () => {
      await sql`drop trigger on_purpose on ${sql.table(table)}`.execute(db);
    },
  };
}
