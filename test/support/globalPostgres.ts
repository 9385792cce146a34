/**
 * One PostgreSQL for each project of a vitest run, started when its first test asks for it. It is TEST_DATABASE_URL's server, or
 * one from the npm binaries in a temporary folder, in memory if there is room. Each test gets a clone of a template, which has the
 * tables of Tearsheet and of its queue.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, statfsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { startEmbeddedPostgres } from '../../src/commands/dev/embeddedPostgres.ts';
import { migrate } from '../../src/db/migrate.ts';
import { startQueue } from '../../src/db/queue.ts';
import { databaseUrl, runStatement, waitForConnections } from './runStatement.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers GET with {@link TestServer} as JSON, starting the server at the first one. */
    postgresBroker: string;
  }
}

/** Where clones are made, and of what. */
export interface TestServer {
  readonly url: string;
  readonly template: string;
  /** The faster way to clone: copying files forces a checkpoint, which is slow on a server that keeps its data safe. */
  readonly strategy: 'file_copy' | 'wal_log';
}

interface Running extends TestServer {
  stop(): Promise<void>;
}

/** A test's data is thrown away: nothing of it has to survive a crash of the machine. */
const FAST = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  // Tests that judge a query plan gather the statistics themselves. Autovacuum would change them at any moment.
  'autovacuum=off',
  'max_connections=300',
  'shared_buffers=64MB',
  'max_wal_size=256MB',
  // Segments of a killed server are removed with its folder.
  'dynamic_shared_memory_type=mmap',
];

/** Names the processes that this one sees. */
const PROCESSES = '/proc/self/ns/pid';
/** A clone is 12 MB of files, which a busy disk takes seconds to write. */
const MEMORY = '/dev/shm';
/** For the servers of several projects, beside the browsers of the tests. */
const NEEDED_BYTES = 4 * 1024 ** 3;

function parentFolder(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  // The folder may promise more than the machine, or the limit of its container, has.
  const free = Math.min(bavail * bsize, process.availableMemory());
  return free >= NEEDED_BYTES ? MEMORY : tmpdir();
}

/** Begins the names of folders. Containers that share /dev/shm do not see each other's processes. */
const OWNERS = `tearsheet-test-pg-${existsSync(PROCESSES) ? readlinkSync(PROCESSES).replace(/\D/g, '') : ''}`;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let running: Promise<Running> | undefined;
  const broker = createServer((_request, response) => {
    running ??= startServer();
    running.then(
      ({ url, template, strategy }) => response.end(JSON.stringify({ url, template, strategy } satisfies TestServer)),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  await new Promise<void>((resolve) => broker.listen(0, '127.0.0.1', resolve));
  project.provide('postgresBroker', `http://127.0.0.1:${(broker.address() as AddressInfo).port}`);
  return async () => {
    broker.closeAllConnections();
    broker.close();
    // Every test has reported a server that did not start.
    const server = await running?.catch(() => undefined);
    await server?.stop();
  };
}

async function startServer(): Promise<Running> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given !== undefined && given !== '')
    return withTemplate({ url: given, strategy: 'wal_log' }, () => Promise.resolve());
  for (const parent of [tmpdir(), MEMORY]) if (existsSync(parent)) removeLeftovers(parent);
  // Projects that run side by side are set up by the same process.
  const folder = path.join(parentFolder(), `${OWNERS}-${process.pid}-${randomBytes(4).toString('hex')}`);
  const server = await startEmbeddedPostgres({ folder, password: randomBytes(12).toString('hex'), settings: FAST });
  return withTemplate({ url: server.url, strategy: 'file_copy' }, async () => {
    await server.stop();
    removeFolder(folder);
  });
}

/** Servers that killed runs left behind are ended and their folders removed; a living run's are left alone. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = name.startsWith(`${OWNERS}-`) ? Number(name.slice(OWNERS.length + 1).split('-')[0]) : 0;
    if (owner === 0 || existsSync(`/proc/${owner}`)) continue;
    const folder = path.join(parent, name);
    const file = path.join(folder, 'postmaster.pid');
    const pid = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
    if (isServerOf(pid, folder)) process.kill(pid, 'SIGQUIT');
    removeFolder(folder);
  }
}

/** Another process may have the number by now. */
function isServerOf(pid: number, folder: string): boolean {
  const file = `/proc/${pid}/cmdline`;
  return pid > 0 && existsSync(file) && readFileSync(file, 'utf8').split('\0').includes(realpathSync(folder));
}

/** The folder may be a link to one that the server's account can enter. */
function removeFolder(folder: string): void {
  if (existsSync(folder)) rmSync(realpathSync(folder), { recursive: true, force: true, maxRetries: 5 });
  rmSync(folder, { recursive: true, force: true });
}

async function withTemplate(server: Omit<TestServer, 'template'>, stop: () => Promise<void>): Promise<Running> {
  const { url } = server;
  const template = `tearsheet_template_${process.pid}_${randomBytes(4).toString('hex')}`;
  await runStatement(url, `create database ${template}`);
  await migrate(databaseUrl(url, template));
  const queue = await startQueue({
    databaseUrl: databaseUrl(url, template),
    onError: console.error,
    supervise: false,
  });
  await queue.stop({ timeoutMs: 1_000 });
  await runStatement(url, waitForConnections(template));
  return {
    ...server,
    template,
    stop: async () => {
      await runStatement(url, `drop database if exists ${template} with (force)`);
      await stop();
    },
  };
}
