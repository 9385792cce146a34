/**
 * Saves time for every query. PostgreSQL keeps the plans of repeated statements, because parsing and planning a small one
 * costs as much as running it. A connection keeps its prepared statements until it closes. BEGIN is sent together with
 * the first statement of its transaction, so it needs no round trip of its own.
 */
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';

/** A statement is prepared from this use on. */
const OFTEN = 3;
/** Statements counted, and so at most prepared, in a process. */
const MOST = 300;

/** The pool as kysely sees it. */
export function preparingPool(pool: pg.Pool): PostgresPool {
  const statements = new Statements();
  const clients = new WeakMap<pg.PoolClient, PreparingClient>();
  return {
    options: pool.options,
    connect: async () => {
      const client = await pool.connect();
      const preparing = clients.get(client) ?? new PreparingClient(client, statements);
      clients.set(client, preparing);
      return preparing;
    },
    end: () => pool.end(),
  };
}

const NOTHING = { command: 'SELECT', rowCount: 0, rows: [] } as const satisfies PostgresQueryResult<never>;

const isEnd = (text: string) => text === 'commit' || text === 'rollback';

class PreparingClient implements PostgresPoolClient {
  readonly #client: pg.PoolClient;
  readonly #statements: Statements;
  /** A transaction has begun, but has run no statement yet. */
  #beginning = false;

  constructor(client: pg.PoolClient, statements: Statements) {
    this.#client = client;
    this.#statements = statements;
    // The failed queries report this error. Without a listener, the error would end the process.
    client.on('error', () => undefined);
  }

  query<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  query<R>(
    given: string | PostgresCursor<R>,
    values: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    if (typeof given !== 'string') throw new TypeError('Kysely has no cursor here, so it cannot stream.');
    if (given === 'begin') {
      this.#beginning = true;
      return Promise.resolve(NOTHING);
    }
    const beginning = this.#beginning;
    this.#beginning = false;
    if (!beginning) return this.#run<R>(given, values);
    return isEnd(given) ? Promise.resolve(NOTHING) : this.#beginWith<R>(given, values);
  }

  async #beginWith<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    const [, result] = await Promise.all([this.#client.query('begin'), this.#run<R>(text, values)]);
    return result;
  }

  async #run<R>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    const name = this.#statements.nameOf(text);
    const given = { text, values: [...values] };
    const result = await this.#client.query(name === undefined ? given : { ...given, name });
    const command = result.command as PostgresQueryResult<R>['command'];
    return { command, rowCount: result.rowCount ?? 0, rows: result.rows };
  }

  release(destroy?: boolean): void {
    this.#client.release(destroy);
  }
}

class Statements {
  readonly #uses = new Map<string, { readonly name: string; count: number }>();

  nameOf(text: string): string | undefined {
    const known = this.#uses.get(text);
    if (known !== undefined) {
      known.count += 1;
      return known.count >= OFTEN ? known.name : undefined;
    }
    if (this.#uses.size < MOST && isPreparable(text)) this.#uses.set(text, { name: `s${this.#uses.size}`, count: 1 });
    return undefined;
  }
}

/** Excludes queries for all columns of a table, whose prepared form fails once a migration adds one, and anything but a query. */
function isPreparable(text: string): boolean {
  return (
    /^\s*(select|with|insert|update|delete)\b/i.test(text) && !/\b(select|returning)\s+\*(?!\s*,)|\.\*/i.test(text)
  );
}
