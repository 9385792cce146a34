/** `tearsheet api` and `tearsheet controller` that start while the database does not answer. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../../src/commands/dev/ports.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { type Relay, startRelay } from '../../support/relay.ts';
import { type ServiceProcess, startService } from '../../support/serviceProcess.ts';
import { TEST_KEYS } from '../../support/testKeys.ts';

let folder: string;
let database: TestDatabase;
let relay: Relay | undefined;
let service: ServiceProcess | undefined;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tearsheet-away-'));
  database = await testDatabase();
});

afterEach(async () => {
  service?.kill('SIGTERM');
  await service?.ended;
  await relay?.close();
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts the command with its database behind an address where nothing answers yet. */
async function start(command: string) {
  const url = new URL(database.url);
  const server = Number(url.port);
  const [databasePort = 0, port, internalPort, metricsPort] = await Promise.all([1, 2, 3, 4].map(freePort));
  url.port = String(databasePort);
  service = startService([command], {
    DATABASE_URL: url.href,
    SECRETS_KEYS: TEST_KEYS,
    ARTIFACTS_URL: pathToFileURL(path.join(folder, 'pictures')).href,
    HOST: '127.0.0.1',
    PORT: String(port),
    INTERNAL_PORT: String(internalPort),
    METRICS_PORT: String(metricsPort),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    INTERNAL_URL: `http://127.0.0.1:${internalPort}`,
    TMPDIR: folder,
  });
  return {
    service,
    api: `http://127.0.0.1:${port}/api/v1/orgs/acme/ads`,
    ready: `http://127.0.0.1:${metricsPort}/readyz`,
    connect: async () => {
      relay = await startRelay([server], { port: databasePort });
    },
  };
}

const LOST = 'the database is unavailable; retrying work that needs it';
const BACK = 'the database is available again';

test.each(['api', 'controller'])(
  'tearsheet %s waits for its database when it starts, stays ready without it, and warns at each change',
  async (command) => {
    const { service, api, ready, connect } = await start(command);
    const warnings = () => service.lines().filter(({ level }) => level === 'warn');
    await service.says(LOST);
    await connect();
    await service.says('ready');
    expect((await fetch(ready)).status).toBe(200);
    expect(warnings().map(({ msg }) => msg)).toEqual([LOST, BACK]);
    await relay?.close();
    await eventually(() => expect(warnings()).toHaveLength(3));
    const headers = { authorization: 'Bearer ts_live_abcd1234_0123456789012345678901234567890123456789012' };
    if (command === 'api') for (let i = 0; i < 5; i += 1) expect((await fetch(api, { headers })).status).toBe(503);
    await eventually(async () => {
      const answer = await fetch(ready);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringMatching(/^database: .*ECONNREFUSED/)]);
    });
    await connect();
    await eventually(async () => expect(await (await fetch(ready)).text()).toContain('database: ok'));
    await eventually(() => expect(warnings().map(({ msg }) => msg)).toEqual([LOST, BACK, LOST, BACK]));
    expect(service.lines().filter(({ level }) => level === 'error')).toEqual([]);
  },
);
