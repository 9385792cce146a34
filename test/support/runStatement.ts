import pg from 'pg';

/** Runs one SQL statement on a new connection. */
export async function runStatement(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The address of another database of the same server. */
export function databaseUrl(url: string, name: string): string {
  const address = new URL(url);
  address.pathname = `/${name}`;
  return address.href;
}

/** @returns a statement that waits until nothing is connected to the database, at most 20 seconds. */
export function waitForConnections(name: string): string {
  return `do $$ begin
    for i in 1..2000 loop
      exit when not exists (select 1 from pg_stat_activity where datname = '${name}');
      perform pg_sleep(0.01);
      perform pg_stat_clear_snapshot();
    end loop;
  end $$`;
}
