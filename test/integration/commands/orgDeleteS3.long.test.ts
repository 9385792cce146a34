/** `tearsheet org delete` as an operator runs it, over a real PostgreSQL and with the pictures in a bucket. */
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openArtifacts } from '../../../src/artifacts/open.ts';
import type { ArtifactStore } from '../../../src/artifacts/store.ts';
import { fillOrganization } from '../../support/fillOrganization.ts';
import { PUBLIC_URL, startPublicApi, type TestApi } from '../../support/publicApi.ts';
import { type S3Server, startS3Server } from '../../support/s3Server.ts';
import { startService } from '../../support/serviceProcess.ts';
import { TEST_KEYS } from '../../support/testKeys.ts';

const CONFIRMED = ['--confirm', 'acme', '--wait', '0'];

let server: S3Server;
let client: S3Client;
let bucket: string;
let artifacts: ArtifactStore;
let api: TestApi;

beforeAll(async () => {
  server = await startS3Server();
}, 900_000);
afterAll(() => server?.close());

beforeEach(async () => {
  const { endpoint, region, accessKeyId, secretAccessKey } = server;
  const account = { endpoint, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } };
  bucket = await server.createBucket();
  client = new S3Client(account);
  artifacts = openArtifacts(`s3://${bucket}/pictures`, account);
  api = await startPublicApi({ artifacts });
});
afterEach(async () => {
  await api.close();
  artifacts.close();
  client.destroy();
});

async function keys(): Promise<string[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
  return Contents.flatMap(({ Key }) => Key ?? []);
}

/** Runs the command. @returns its exit code and its line of JSON. */
async function orgDelete(args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const { endpoint, region, accessKeyId, secretAccessKey } = server;
  const service = startService(['org', 'delete', 'acme', '--json', ...args], {
    ...{
      DATABASE_URL: api.databaseUrl,
      SECRETS_KEYS: TEST_KEYS,
      PUBLIC_URL,
      INTERNAL_URL: 'http://127.0.0.1:1',
      LOG_LEVEL: 'error',
    },
    ...{
      ARTIFACTS_URL: `s3://${bucket}/pictures`,
      S3_ENDPOINT: endpoint,
      S3_REGION: region,
      S3_FORCE_PATH_STYLE: 'true',
    },
    ...{ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
    ...env,
  });
  const code = await service.ended;
  return { code, output: service.output(), line: service.lines().at(-1) };
}

/** Stores an object of another organization. @returns its key in the bucket. */
async function putOther(): Promise<string[]> {
  const before = new Set(await keys());
  await artifacts.put('screenshots/other.png', Buffer.from('other'), 'image/png');
  return (await keys()).filter((key) => !before.has(key));
}

test('without --confirm, the command counts and no object of the bucket goes', { timeout: 300_000 }, async () => {
  await fillOrganization(api, artifacts);
  const before = await keys();
  expect(await orgDelete()).toMatchObject({ code: 0, line: { organization: 'acme', sets: 2, uploads: 2 } });
  expect(await keys()).toEqual(before);
  expect(before).not.toEqual([]);
});

test('the command removes all objects of the organization from the bucket and leaves the others', {
  timeout: 300_000,
}, async () => {
  await fillOrganization(api, artifacts);
  const others = await putOther();
  expect(others).toHaveLength(1);
  const { code, output, line } = await orgDelete(CONFIRMED);
  expect([code, line], output).toEqual([
    0,
    expect.objectContaining({ state: 'deleted', sets: 2, pictures: 4, uploads: 2 }),
  ]);
  expect(await keys()).toEqual(others);
});

test('a command that cannot reach the bucket fails, and the next one removes the rest', {
  timeout: 300_000,
}, async () => {
  await fillOrganization(api, artifacts);
  const before = await keys();
  // Nothing listens on this port.
  expect((await orgDelete(CONFIRMED, { S3_ENDPOINT: 'http://127.0.0.1:9' })).code).toBe(1);
  expect(await keys()).toEqual(before);
  expect((await api.get('settings')).status).toBe(401);
  expect(await orgDelete(CONFIRMED)).toMatchObject({ code: 0, line: { state: 'deleted' } });
  expect(await keys()).toEqual([]);
});
