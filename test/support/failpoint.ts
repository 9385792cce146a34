import { sql } from 'kysely';
import type { Database } from '../../src/store/database.ts';

/** Makes every insert or update of a table fail, inside the transaction that does it. @returns what lifts that again. */
export async function failWritesTo(db: Database, table: string): Promise<() => Promise<void>> {
  await sql`
    create or replace function fail_on_purpose() returns trigger language plpgsql as
    $$ begin raise exception 'failed on purpose'; end $$`.execute(db);
  await sql`
    create trigger on_purpose before insert or update on ${sql.table(table)}
    for each row execute function fail_on_purpose()`.execute(db);
  return async () => {
    await sql`drop trigger on_purpose on ${sql.table(table)}`.execute(db);
  };
}
