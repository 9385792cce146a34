/**
 * Fills a database with screenshot sets and everything that belongs to them. One set in ten belongs to each of two small
 * organizations, and all others to a large one. Each value that filters look for is common, or occurs five times, however
 * many sets there are. So a filter finds as much in a small database as in a large one.
 */
import pg from 'pg';
import { CONTENT, PICTURES, SETS } from './fillStatements.ts';

export interface Fill {
  /** A multiple of 100. Each has ten screenshots. */
  readonly sets: number;
  /** The large one, and two small ones. */
  readonly organizationIds: readonly [string, string, string];
}

/** Fills in two sessions, because PostgreSQL uses one processor for each. @returns seconds. */
export async function fill(databaseUrl: string, { sets, organizationIds }: Fill): Promise<number> {
  const start = performance.now();
  const [a, b] = [new pg.Client({ connectionString: databaseUrl }), new pg.Client({ connectionString: databaseUrl })];
  const clients = [a, b];
  try {
    await Promise.all(clients.map((client) => client.connect()));
    await a.query(preparation(sets, organizationIds));
    for (const client of clients) await client.query(SESSION);
    await run(a, SETS);
    await Promise.all([run(a, PICTURES), run(b, CONTENT)]);
    await checkWords(a);
    await a.query('drop schema bench cascade');
    // As autovacuum does after a while. Without it, PostgreSQL does not know which rows are there.
    await a.query('vacuum (analyze)');
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
  return (performance.now() - start) / 1000;
}

/** Without the checks of foreign keys and without triggers, which one statement for many rows does not need. */
const SESSION = `set session_replication_role = replica; set synchronous_commit = off; set work_mem = '256MB';
  set maintenance_work_mem = '512MB'; set search_path = public, bench`;

async function run(client: pg.Client, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await client.query(statement);
}

/** A schema with the sets and short names. It is dropped at the end. */
const preparation = (sets: number, [large, second, third]: Fill['organizationIds']) => `
  create schema bench;
  create function bench.uid(key text) returns uuid language sql immutable return md5(key)::uuid;
  create function bench.token(key text) returns text language sql immutable return left(md5(key) || md5(key || '.'), 43);
  create unlogged table bench.sets as
    select i, bench.uid('set ' || i) as id, organization, campaign, bench.uid('job ' || i) as job,
      bench.uid('ad ' || i) as first_ad, bench.uid('ad ' || (i + 10 * groups) % ${sets}) as second_ad,
      now() - i * interval '5 minutes' as at, rare, kind,
      case when not rare then 'approved' else (array['rejected', 'in_review', 'failed', 'capturing', 'draft', 'canceled',
        'approved', 'approved', 'approved', 'approved'])[1 + kind] end as status
    from (
      select i, i % 10 as kind, greatest(1, ${sets} / 500) as groups,
        (i / 10) % greatest(1, ${sets} / 50) = 0 as rare,
        (array['${large}', '${second}', '${third}'])[1 + greatest(0, i % 10 - 7)]::uuid as organization,
        bench.uid('campaign ' || i % 10 || ' ' || case when i % 10 = 0 then 0 else (i / 10) % greatest(1, ${sets} / 500) end)
          as campaign
      from generate_series(0, ${sets - 1}) i
    ) numbered;
  analyze bench.sets;`;

/** @throws Error if a filled set has other words for the search than the trigger would store. */
async function checkWords(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ words: string; wanted: string }>(
    'select words::text, words_of_set(set_id)::text as wanted from set_search join sets on id = set_id where i < 50',
  );
  const wrong = rows.find(({ words, wanted }) => words !== wanted);
  if (wrong !== undefined) throw new Error(`The words of a set differ: ${wrong.words}, not ${wrong.wanted}.`);
}
