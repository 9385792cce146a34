import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, EngineStartError, startEngine } from '../../../../src/capture/engine/engine.ts';
import { TEST_LOG } from '../../../support/testLog.ts';
import { file, tag } from '../../../support/testRenderer.ts';

const REQUEST = { markers: [null], ratios: [1] };
const engines: Engine[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-broken-browser-'));
});
afterAll(async () => {
  for (const engine of engines) await engine.close();
  await rm(folder, { recursive: true, force: true });
});

/** @param script a shell script in place of Chromium, because a real browser does not fail on demand. */
async function engineOn(name: string, script: string): Promise<Engine> {
  const chromiumPath = path.join(folder, name);
  await writeFile(chromiumPath, `#!/bin/sh\n${script}\n`);
  await chmod(chromiumPath, 0o755);
  const engine = await startEngine({ chromiumPath, allow: [], log: TEST_LOG });
  engines.push(engine);
  return engine;
}

test('A still image needs no browser, and other creatives report why the browser did not start', async () => {
  const engine = await engineOn(
    'ends',
    'echo "Chromium 150.0.1.2"; [ "$1" = --version ] || { echo broken >&2; exit 1; }',
  );
  const png = await sharp({ create: { width: 300, height: 250, channels: 3, background: '#f00' } })
    .png()
    .toBuffer();
  expect(await engine.render(file('red.png', png), REQUEST)).toMatchObject({ status: 'uploaded', mode: 'still' });
  const failure = await engine.render(tag('<b>Ad</b>'), REQUEST).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(EngineStartError);
  expect(String(failure)).toMatch(/ends did not start\. It printed: broken/);
});

test('An executable that is not Chromium is recognized by its version output', async () => {
  const engine = await engineOn('talks', 'echo hello');
  await expect(engine.render(tag('<b>Ad</b>'), REQUEST)).rejects.toThrow(/talks is not a Chromium: .*"hello/);
});
