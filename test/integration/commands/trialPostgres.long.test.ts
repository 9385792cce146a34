/** The PostgreSQL of a trial on a cluster, and the migration that waits for it, as processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../../src/commands/dev/ports.ts';
import { eventually } from '../../support/eventually.ts';
import { createServiceFolders, type ServiceFolders } from '../dev/serviceFolders.ts';

const CLI = path.join(import.meta.dirname, '../../../src/cli.ts');
/** As pods see each other: not by 127.0.0.1, which PostgreSQL's own rules would let in. */
const ADDRESS =
  Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address ?? '127.0.0.1';

let folders: ServiceFolders;
let port: number;
const started: ChildProcess[] = [];

beforeEach(async () => {
  folders = createServiceFolders();
  port = await freePort();
});
afterEach(async () => {
  for (const child of started.splice(0)) await ended(child, 'SIGKILL');
  await folders.remove();
});

function run(args: readonly string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      TMPDIR: folders.temporary,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  started.push(child);
  return Object.assign(child, { said: () => said });
}

const postgres = () =>
  run(['trial-postgres', '--data', folders.data, '--port', String(port)], { PGPASSWORD: 'pass/word' });
const url = (password = 'pass/word') =>
  `postgres://postgres:${encodeURIComponent(password)}@${ADDRESS}:${port}/tearsheet`;
const migrate = () => run(['migrate', '--wait', '110'], { DATABASE_URL: url() });

async function ended(child: ChildProcess, signal?: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const end = new Promise<number | null>((resolve) => child.once('close', resolve));
  if (signal !== undefined) child.kill(signal);
  return end;
}

async function query(address: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('a migration waits for PostgreSQL, and its result survives a restart', async () => {
  const migration = migrate();
  const first = postgres();
  expect(await ended(migration), migration.said()).toBe(0);
  expect(migration.said()).toMatch(/"applied":\["0014.*the database was migrated/);
  expect(await ended(first, 'SIGTERM'), first.said()).toBe(0);

  postgres();
  await eventually(async () => expect(await query(url(), 'select 1 from installation')).toHaveLength(1));
});

test('a wrong password is rejected', async () => {
  postgres();
  await eventually(async () => expect(await query(url(), 'select 1 as one')).toEqual([{ one: 1 }]));
  await expect(query(url('wrong'), 'select 1')).rejects.toThrow('password authentication failed');
});

test('a migration reports a wrong password at once, without waiting', async () => {
  postgres();
  await eventually(async () => expect(await query(url(), 'select 1 as one')).toEqual([{ one: 1 }]));
  const migration = run(['migrate', '--wait', '600'], { DATABASE_URL: url('wrong') });
  expect(await ended(migration)).toBe(1);
  expect(migration.said()).toContain('password authentication failed');
});

test('a trial PostgreSQL does not start without a password', async () => {
  const server = run(['trial-postgres', '--data', folders.data], {});
  expect(await ended(server)).toBe(2);
  expect(server.said()).toContain('PGPASSWORD is not set');
});
