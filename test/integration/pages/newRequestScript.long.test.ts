/** The look that newRequestScript.test.ts leaves out. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { preparePagesInBrowser, visit } from './browser.ts';
import { faultsOfSteps, writeAdFiles } from './newRequestSteps.ts';

const server = preparePagesInBrowser();

it('axe finds no fault on a wide screen with light colors, before and after a fault', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeAdFiles(folder);
  const viewport = { width: 1440, height: 4_800 };
  const { page } = await visit(server, `${server.url}/o/demo/new`, { viewport, colorScheme: 'light' });
  expect(await faultsOfSteps(server, page, folder)).toEqual([]);
});
