/** One PostgreSQL with a database that is nearly empty and one that is full, and an API process for each. */
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../src/commands/dev/embeddedPostgres.ts';
import { TEST_KEYS } from '../../support/testKeys.ts';
import { apiSettings } from '../apiSettings.ts';
import { CLI, runProgram, startProgram } from '../program.ts';
import { fill } from './fill.ts';

/** Enough to fill the first page of each list, and the page behind a row in the middle. */
const FEW_SETS = 200;
const LARGE = 'large';

export interface Side {
  readonly databaseUrl: string;
  readonly origin: string;
  readonly key: string;
  /** The cookie of a person who signed in. */
  readonly cookie: string;
  /** The folder for pictures and other files. */
  readonly artifacts: string;
  readonly database: pg.Pool;
}

export interface Stand {
  readonly postgresUrl: string;
  readonly empty: Side;
  readonly full: Side;
  /** Seconds that filling took. */
  readonly filled: number;
  close(): Promise<void>;
}

/** @param sets of the full database. */
export async function openStand(sets: number): Promise<Stand> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-rows-'));
  // PostgreSQL's account needs access, because its data is in this folder and is removed with it.
  await chmod(folder, 0o755);
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const settings = ['shared_buffers=1GB', 'max_wal_size=8GB', 'checkpoint_timeout=30min'];
    const postgres = await startEmbeddedPostgres({ folder: path.join(folder, 'postgres'), password: 'rows', settings });
    ends.push(() => postgres.stop());
    const open = (name: string, count: number) =>
      openSide({ url: postgres.url.replace(/[^/]+$/, name), folder: path.join(folder, name), sets: count, ends });
    const empty = await open('few', FEW_SETS);
    const full = await open('many', sets);
    return { postgresUrl: postgres.url, empty, full: full, filled: full.filled, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface NewSide {
  readonly url: string;
  readonly folder: string;
  readonly sets: number;
  readonly ends: (() => Promise<unknown>)[];
}

async function openSide({ url, folder, sets, ends }: NewSide): Promise<Side & { readonly filled: number }> {
  await createDatabase(url);
  await mkdir(folder);
  const env = {
    ...(await apiSettings(folder)),
    DATABASE_URL: url,
    SECRETS_KEYS: TEST_KEYS,
    LOG_LEVEL: 'info',
    NODE_ENV: 'production',
  };
  await runProgram([CLI, 'migrate'], env);
  const keys: string[] = [];
  for (const slug of [LARGE, 'second', 'third'])
    keys.push(JSON.parse(await runProgram([CLI, 'org', 'create', slug, '--json'], env)).api_key);
  const database = new pg.Pool({ connectionString: url, max: 4 });
  ends.push(() => database.end());
  const filled = await fill(url, { sets, organizationIds: await organizationIds(database) });
  const api = await startProgram([CLI, 'api'], { env, ready: (line) => line.includes('"msg":"ready"') });
  ends.push(() => api.stop());
  const [key = ''] = keys;
  const origin = env.PUBLIC_URL;
  return { databaseUrl: url, origin, key, cookie: await signIn(origin, key), artifacts: folder, database, filled };
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.replace(/[^/]+$/, 'postgres') });
  await client.connect();
  try {
    await client.query(`create database ${url.replace(/^.*\//, '')}`);
  } finally {
    await client.end();
  }
}

async function organizationIds(database: pg.Pool): Promise<[string, string, string]> {
  const { rows } = await database.query<{ id: string }>('select id from organizations order by slug <> $1, slug', [
    LARGE,
  ]);
  const [large, second, third] = rows.map(({ id }) => id);
  if (large === undefined || second === undefined || third === undefined)
    throw new Error('The organizations were not created.');
  return [large, second, third];
}

async function signIn(origin: string, key: string): Promise<string> {
  const response = await fetch(`${origin}/o/${LARGE}/sign-in`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ key, next: '' }),
    redirect: 'manual',
    signal: AbortSignal.timeout(30_000),
  });
  if (response.status !== 303) throw new Error(`The sign-in failed with status ${response.status}.`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}
