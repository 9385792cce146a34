/** `tearsheet check` in pods that lack settings of other pods, and with parts that fail. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { type Listener, startListener } from '../../support/listeners.ts';
import { startService } from '../../support/serviceProcess.ts';
import { TEST_KEYS } from '../../support/testKeys.ts';
import { startConnectProxy, type TestProxy } from '../../support/upstreamProxies.ts';

const GERMANY = {
  ...{ id: 'de', name: 'Germany', country: 'DE', locale: 'de-DE', languages: ['de-DE'], time_zone: 'Europe/Berlin' },
};

let folder: string;
let database: TestDatabase;
let proxy: TestProxy;
let page: Listener;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-check-'));
  database = await testDatabase();
  [proxy, page] = [await startConnectProxy(), await startListener(createServer((socket) => socket.destroy()))];
});

afterEach(async () => {
  await Promise.all([proxy.close(), page.close()]);
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** The environment of a pod of an installation with single sign-on and a location, but without their secrets. */
async function check(flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const started = startService(['check', ...flags], {
    ...{ DATABASE_URL: database.url, SECRETS_KEYS: TEST_KEYS, EGRESS_ALLOW: '127.0.0.0/8', LOG_LEVEL: 'fatal' },
    ...{ ARTIFACTS_URL: pathToFileURL(path.join(folder, 'pictures')).href, TMPDIR: folder },
    ...{ PUBLIC_URL: 'http://127.0.0.1:1', INTERNAL_URL: 'http://127.0.0.1:1' },
    ...{ OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'tearsheet' },
    LOCATIONS: JSON.stringify([{ ...GERMANY, proxy: proxy.url, check_url: page.url }]),
    CAPTURE_PROFILE: path.join(folder, 'profile.json'),
    ...env,
  });
  const code = await started.ended;
  return { code, lines: started.output().trim().split('\n') };
}

const SKIPPED = [
  'sign-in: skipped: this process has no OIDC_CLIENT_SECRET. API pods have it.',
  'location de: skipped: its proxy asks for credentials, and LOCATION_CREDENTIALS of this process has none for it. API pods have them.',
  expect.stringMatching(/^captures: skipped: this process has no .*profile\.json\. Controller pods have it\.$/),
];

test('a check skips what the pod has no settings for, says so, and passes with its files', async () => {
  const { code, lines } = await check(['--files']);
  expect(lines).toEqual(['database: ok', 'artifacts: ok', ...SKIPPED, 'files: 0 of 0 are missing']);
  expect(code).toBe(0);
});

test('a strict check fails for what it skips', async () => {
  const { code, lines } = await check(['--strict']);
  expect(lines).toEqual(['database: ok', 'artifacts: ok', ...SKIPPED]);
  expect(code).toBe(1);
});

test('checks that fail do not stop the others', async () => {
  const url = new URL(database.url);
  url.port = '1';
  const { code, lines } = await check(['--files'], { DATABASE_URL: url.href });
  expect(lines).toEqual([
    expect.stringMatching(/^database: .*ECONNREFUSED/),
    'artifacts: ok',
    ...SKIPPED,
    expect.stringMatching(/^files: not all were checked: .*ECONNREFUSED/),
  ]);
  expect(code).toBe(1);
});
