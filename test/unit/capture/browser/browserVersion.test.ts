import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { browserVersion } from '../../../../src/capture/browser/chromium.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-version-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function executable(name: string, script: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

test('The version is read from what the executable prints', async () => {
  const file = await executable('chromium', 'echo "Chromium 156.0.8078.73 built on Debian"');
  expect(await browserVersion(file)).toBe('156.0.8078.73');
});

test('A version query that times out is reported as a timeout, not as a missing Chromium', async () => {
  const file = await executable('slow', 'exec sleep 30');
  const failure = await browserVersion(file, 100).catch((error: unknown) => String(error));
  expect(failure).toMatch(/slow did not print its version within 0\.1 s\. The machine may be overloaded\./);
  expect(failure).not.toMatch(/not a .*Chromium/);
});

test('An executable that prints no version is reported as not being Chromium', async () => {
  const file = await executable('other', 'echo hello');
  await expect(browserVersion(file)).rejects.toThrow(/other is not a Chromium: .*"hello/);
});

test('An executable that fails is reported with its error', async () => {
  await expect(browserVersion('/no/such/chromium')).rejects.toThrow(
    /\/no\/such\/chromium could not print its version, .*ENOENT/,
  );
});
