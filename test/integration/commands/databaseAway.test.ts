/** `tearsheet api` and `tearsheet controller` that start while the database does not answer. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../../src/commands/dev/embeddedPostgres.ts';
import { type Relay, startRelay } from '../../chaos/service/relay.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { type ServiceProcess, startService } from '../../support/serviceProcess.ts';

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

test.each(['api', 'controller'])('tearsheet %s waits for its database when it starts', async (command) => {
  const url = new URL(database.url);
  const server = Number(url.port);
  const [databasePort, port, internalPort, metricsPort] = await Promise.all([1, 2, 3, 4].map(freePort));
  url.port = String(databasePort);
  service = startService([command], {
    DATABASE_URL: url.href,
    ARTIFACTS_URL: pathToFileURL(path.join(folder, 'pictures')).href,
    HOST: '127.0.0.1',
    PORT: String(port),
    INTERNAL_PORT: String(internalPort),
    METRICS_PORT: String(metricsPort),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    INTERNAL_URL: `http://127.0.0.1:${internalPort}`,
    TMPDIR: folder,
  });
  await service.says('the database does not answer, waiting for it');
  relay = await startRelay([server], { port: databasePort });
  await service.says('ready');
  expect((await fetch(`http://127.0.0.1:${metricsPort}/readyz`)).status).toBe(200);
});
