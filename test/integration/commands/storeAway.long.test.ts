/** `tearsheet api` and `tearsheet controller` while the bucket does not answer. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../../src/commands/dev/ports.ts';
import { createOrganization } from '../../../src/core/organizations/organizations.ts';
import { openStore } from '../../../src/db/database.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { type Relay, startRelay } from '../../support/relay.ts';
import { type S3Server, startS3Server } from '../../support/s3Server.ts';
import { type ServiceProcess, startService } from '../../support/serviceProcess.ts';
import { TEST_KEY_RING, TEST_KEYS } from '../../support/testKeys.ts';

let database: TestDatabase;
let bucket: S3Server;
let relay: Relay | undefined;
let service: ServiceProcess | undefined;

beforeEach(async () => {
  [database, bucket] = await Promise.all([testDatabase(), startS3Server()]);
});

afterEach(async () => {
  service?.kill('SIGTERM');
  await service?.ended;
  await relay?.close();
  await bucket.close();
  await database.close();
});

/** Starts the command with its bucket behind an address where nothing answers yet. */
async function start(command: string) {
  const [s3Port = 0, port, internalPort, metricsPort] = await Promise.all([1, 2, 3, 4].map(freePort));
  service = startService([command], {
    DATABASE_URL: database.url,
    SECRETS_KEYS: TEST_KEYS,
    ARTIFACTS_URL: `s3://${await bucket.createBucket()}/pictures`,
    S3_ENDPOINT: `http://127.0.0.1:${s3Port}`,
    S3_REGION: bucket.region,
    S3_FORCE_PATH_STYLE: 'true',
    AWS_ACCESS_KEY_ID: bucket.accessKeyId,
    AWS_SECRET_ACCESS_KEY: bucket.secretAccessKey,
    HOST: '127.0.0.1',
    PORT: String(port),
    INTERNAL_PORT: String(internalPort),
    METRICS_PORT: String(metricsPort),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    INTERNAL_URL: `http://127.0.0.1:${internalPort}`,
  });
  const text = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${metricsPort}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  return {
    service,
    api: `http://127.0.0.1:${port}/api/v1/orgs/acme`,
    ready: () => text('/readyz'),
    available: async () =>
      /^tearsheet_dependency_available\{dependency="artifacts"\} (\d)$/m.exec((await text('/metrics')).text)?.[1],
    connect: async () => {
      relay = await startRelay([Number(new URL(bucket.endpoint).port)], { port: s3Port });
    },
  };
}

const AWAY = 'the artifact store is unavailable; retrying work that needs it';
const BACK = 'the artifact store is available again';

/** The process is not ready before its bucket has answered once. */
async function startAway(command: string) {
  const started = await start(command);
  await started.service.says(AWAY);
  await eventually(async () => expect((await started.ready()).status).toBe(503));
  return started;
}

test('an API is ready once its bucket has answered. While it is away, the API answers 503 to what needs it, and warns at both changes', async () => {
  const { service, api, ready, available, connect } = await startAway('api');
  await connect();
  await eventually(async () => expect((await ready()).status).toBe(200));
  expect(await available()).toBe('1');
  const store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  const { api_key } = await createOrganization(store.db, { slug: 'acme' });
  await store.close();
  const headers = { authorization: `Bearer ${api_key}` };
  let uploads = 0;
  const upload = () => {
    uploads += 1;
    return fetch(`${api}/uploads`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'text/html' },
      body: `<b>Ad ${uploads}</b>`,
    });
  };
  expect((await upload()).status).toBe(201);
  const before = service.lines().length;
  await relay?.close();
  for (let i = 0; i < 3; i += 1) {
    const answer = await upload();
    expect([answer.status, Number(answer.headers.get('retry-after'))]).toEqual([503, 5]);
    expect(JSON.stringify(await answer.json())).toContain('The service cannot use its artifact store at the moment');
  }
  await eventually(async () => expect(await available()).toBe('0'));
  expect((await fetch(`${api}/screenshot_sets`, { headers })).status).toBe(200);
  const { status, text } = await ready();
  expect([status, text]).toEqual([200, expect.stringMatching(/^artifacts: .*ECONNREFUSED/m)]);
  await connect();
  await eventually(async () => expect(await available()).toBe('1'));
  expect((await upload()).status).toBe(201);
  const levels = Map.groupBy(service.lines().slice(before), ({ level }) => level);
  expect(levels.get('error') ?? []).toEqual([]);
  expect(levels.get('warn')?.map(({ msg }) => msg)).toEqual([AWAY, BACK]);
});

test('tearsheet controller is not ready before its bucket has answered once', async () => {
  const { ready, connect } = await startAway('controller');
  await connect();
  await eventually(async () => expect((await ready()).status).toBe(200));
});
