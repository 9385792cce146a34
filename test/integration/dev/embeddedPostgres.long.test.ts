/** The PostgreSQL of `tearsheet dev`: where the checkout may be, and what a killed start leaves behind. */
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readDevState, writeDevState } from '../../../src/commands/dev/devState.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/commands/dev/embeddedPostgres.ts';
import * as ports from '../../../src/commands/dev/ports.ts';
import { canEnter, reachableCopy, serverUser } from '../../../src/commands/dev/serverUser.ts';
import { eventually } from '../../support/eventually.ts';
import { listen } from '../../support/listeners.ts';
import { startDev } from './devProcess.ts';
import { createServiceFolders, kill, type ServiceFolders } from './serviceFolders.ts';

// Its functions can be replaced then.
vi.mock('../../../src/commands/dev/ports.ts', { spy: true });

const REPOSITORY = path.join(import.meta.dirname, '../../..');
const user = serverUser();
const asRoot = user !== undefined;

const running: EmbeddedPostgres[] = [];
const folders: string[] = [];
const folderSets: ServiceFolders[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
  for (const folders of folderSets.splice(0)) await folders.remove();
  for (const folder of folders.splice(0)) removeAll(folder);
});

/** Also what a link in it leads to. */
function removeAll(folder: string): void {
  for (const name of ['postgres', 'data/postgres']) {
    const data = path.join(folder, name);
    if (existsSync(data)) rmSync(realpathSync(data), { recursive: true, force: true });
  }
  rmSync(folder, { recursive: true, force: true });
}

function folderOf(mode: number): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tearsheet-postgres-test-'));
  chmodSync(folder, mode);
  folders.push(folder);
  return folder;
}

const FAST = ['fsync=off', 'full_page_writes=off'];

async function startIn(folder: string): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({
    folder: path.join(folder, 'postgres'),
    password: 'of/this test',
    settings: FAST,
  });
  running.push(server);
  return server;
}

async function stop(server: EmbeddedPostgres): Promise<void> {
  await server.stop();
  running.splice(running.indexOf(server), 1);
}

async function query(url: string, sql: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

describe('embedded PostgreSQL', () => {
  it('data survives a restart, and a password is required', async () => {
    const folder = folderOf(0o755);
    const first = await startIn(folder);
    await query(first.url, 'create table kept as select 1 as one');
    const stranger = new URL(first.url);
    stranger.password = 'guessed';
    await expect(query(stranger.href, 'select 1')).rejects.toThrow(/password authentication failed/);
    await stop(first);
    const second = await startIn(folder);
    expect(await query(second.url, 'select one from kept')).toEqual([{ one: 1 }]);
    expect(readdirSync(folder)).toEqual(['postgres']);
  });

  it('another free port is taken when another program was faster', async () => {
    const other = await listen();
    vi.spyOn(ports, 'freePort').mockResolvedValueOnce(other.port);
    const server = await startIn(folderOf(0o755));
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(Number(new URL(server.url).port)).not.toBe(other.port);
    await other.close();
  });

  it('an incomplete initialisation is repeated', async () => {
    const folder = folderOf(0o755);
    // If initdb is killed early, it leaves the version file but no data.
    const half = path.join(folder, 'postgres.new-1');
    mkdirSync(half);
    writeFileSync(path.join(half, 'PG_VERSION'), '18\n');
    writeFileSync(path.join(folder, 'postgres.password-1'), 'old\n');
    mkdirSync(path.join(folder, 'postgres'));
    writeFileSync(path.join(folder, 'postgres', 'postgresql.conf'), 'nonsense');
    const server = await startIn(folder);
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(readdirSync(folder)).toEqual(['postgres']);
  });

  it('a server whose parent was killed is stopped without losing commits', async () => {
    const folder = folderOf(0o755);
    const first = await startIn(folder);
    await query(first.url, 'create table kept as select 1 as one');
    const second = await startIn(folder);
    expect(second.pid).not.toBe(first.pid);
    expect(existsSync(`/proc/${first.pid}`)).toBe(false);
    expect(await query(second.url, 'select one from kept')).toEqual([{ one: 1 }]);
  });

  it('a server starts at once after another one was killed', async () => {
    const folder = folderOf(0o755);
    const first = await startIn(folder);
    await query(first.url, 'create table kept as select 1 as one');
    kill(first.pid);
    const second = await startIn(folder);
    expect(await query(second.url, 'select one from kept')).toEqual([{ one: 1 }]);
  });

  it.runIf(process.platform === 'linux')(
    'a server starts after the last process of a killed one has ended',
    async () => {
      const folder = folderOf(0o755);
      const first = await startIn(folder);
      await query(first.url, 'create table kept as select 1 as one');
      const left = childrenOf(first.pid);
      expect(left).not.toEqual([]);
      for (const pid of left) kill(pid, 'SIGSTOP');
      kill(first.pid);
      await eventually(() => expect(existsSync(`/proc/${first.pid}`)).toBe(false));
      const started = startIn(folder);
      setTimeout(() => {
        for (const pid of left) kill(pid, 'SIGCONT');
      }, 1_000);
      expect(await query((await started).url, 'select one from kept')).toEqual([{ one: 1 }]);
    },
  );

  it('another process that has the id of the killed server is not stopped', async () => {
    const [folder, elsewhere] = [folderOf(0o755), folderOf(0o755)];
    await stop(await startIn(folder));
    const other = await startIn(elsewhere);
    const left = readFileSync(path.join(elsewhere, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
    // The rest of the file is of the server that was killed, which held other memory.
    writeFileSync(
      path.join(folder, 'postgres', 'postmaster.pid'),
      `${left[0]}\n${folder}/postgres\n1\n1\n\n127.0.0.1\n`,
    );
    const again = await startIn(folder);
    expect(await query(again.url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await query(other.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe.runIf(asRoot)('a folder that the account of the server may not enter', () => {
  const account = user ?? { uid: 0, gid: 0 };

  it('a closed folder at any level above is detected', () => {
    const folder = folderOf(0o700);
    expect(canEnter(path.join(folder, 'a/b'), account)).toBe(false);
    chmodSync(folder, 0o711);
    expect(canEnter(path.join(folder, 'a/b'), account)).toBe(true);
    mkdirSync(path.join(folder, 'a'), { mode: 0o700 });
    expect(canEnter(path.join(folder, 'a/b'), account)).toBe(false);
  });

  it('a reachable copy is made once and only if needed', () => {
    const folder = folderOf(0o755);
    expect(reachableCopy(folder, { name: 'not-needed', user: account })).toBe(folder);
    chmodSync(folder, 0o700);
    writeFileSync(path.join(folder, 'file'), 'first');
    const name = `test-${path.basename(folder)}`;
    const copy = reachableCopy(folder, { name, user: account });
    folders.push(copy);
    expect(canEnter(copy, account)).toBe(true);
    writeFileSync(path.join(folder, 'file'), 'second');
    expect(reachableCopy(folder, { name, user: account })).toBe(copy);
    expect(readFileSync(path.join(copy, 'file'), 'utf8')).toBe('first');
  });

  it('data is kept elsewhere, survives a move of the folder, and is new for a new folder', async () => {
    const folder = folderOf(0o700);
    const first = await startIn(folder);
    await query(first.url, 'create table kept as select 1 as one');
    await stop(first);
    expect(lstatSync(path.join(folder, 'postgres')).isSymbolicLink()).toBe(true);

    const moved = `${folder}-moved`;
    renameSync(folder, moved);
    folders.push(moved);
    const second = await startIn(moved);
    expect(await query(second.url, 'select one from kept')).toEqual([{ one: 1 }]);
    await stop(second);

    mkdirSync(folder, { mode: 0o700 });
    const third = await startIn(folder);
    await expect(query(third.url, 'select one from kept')).rejects.toThrow(/does not exist/);
  });

  it('a folder that the account can no longer enter is reported, and its data is kept', async () => {
    const folder = folderOf(0o755);
    await stop(await startIn(folder));
    chmodSync(folder, 0o700);
    await expect(startIn(folder)).rejects.toThrow(/can no longer enter/);
    chmodSync(folder, 0o755);
    await startIn(folder);
  });

  it('tearsheet dev runs from a checkout in such a folder', async () => {
    const checkout = folderOf(0o700);
    for (const name of ['src', 'package.json', 'docs/tear-sheets.md'])
      cpSync(path.join(REPOSITORY, name), path.join(checkout, name), { recursive: true });
    symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(checkout, 'node_modules'));
    const folders: ServiceFolders = { ...createServiceFolders(), data: path.join(checkout, 'data') };
    folderSets.push(folders);
    const service = startDev(folders, { cli: path.join(checkout, 'src/cli.ts') });
    const { url, api_key } = await service.ready;
    const response = await fetch(`${url}/api/v1/orgs/demo/campaigns`, {
      headers: { authorization: `Bearer ${api_key}` },
    });
    expect(response.status).toBe(200);
    expect(await service.end('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});

describe('the state file of tearsheet dev', () => {
  it('the state file is replaced atomically and readable only by its owner', () => {
    const folder = folderOf(0o755);
    const state = readDevState(folder);
    expect(readDevState(folder)).toEqual(state);
    const file = path.join(folder, 'dev.json');
    const before = statSync(file);
    // A start that was killed while it wrote.
    writeFileSync(`${file}.new`, '{"database_pass', { mode: 0o600 });
    expect(readDevState(folder)).toEqual(state);
    const demo = { organization: 'demo', api_key: 'a key', webhook_secret: 'a secret' };
    writeDevState(folder, { ...state, demo });
    expect(readDevState(folder)).toEqual({ ...state, demo });
    expect(statSync(file).ino).not.toBe(before.ino);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['dev.json']);
  });
});
