/** `tearsheet dev` that ends before it is ready. */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { startDev } from './devProcess.ts';
import { createServiceFolders, kill, type ServiceFolders } from './serviceFolders.ts';

let folders: ServiceFolders;
beforeEach(() => {
  folders = createServiceFolders();
});
afterEach(() => folders.remove());

it('a start on a folder in which one was killed during initialisation, creates its database and keys', async () => {
  const killed = startDev(folders);
  await eventually(() => {
    const databaseFolders = readdirSync(folders.data).filter((name) => name.startsWith('postgres'));
    expect(databaseFolders.some((name) => existsSync(path.join(folders.data, name, 'PG_VERSION')))).toBe(true);
  });
  for (const { pid } of folders.processes()) kill(pid);
  await killed.ended;
  const second = startDev(folders);
  const ready = await second.ready;
  expect(readdirSync(folders.data).sort()).toEqual(['dev.json', 'pictures', 'postgres']);
  const headers = { authorization: `Bearer ${ready.api_key}` };
  expect((await fetch(`${ready.url}/api/v1/orgs/demo/campaigns`, { headers })).status).toBe(200);
  expect(await second.end('SIGTERM')).toEqual({ code: 0, signal: null });
  await folders.expectNoProcesses();
});

it('a start that gets SIGTERM before it is ready leaves nothing behind', async () => {
  const second = startDev(folders);
  await eventually(() => expect(folders.processes().some(({ kind }) => kind === 'postgres')).toBe(true));
  expect((await second.end('SIGTERM')).signal).toBeNull();
  await folders.expectNoProcesses();
});
