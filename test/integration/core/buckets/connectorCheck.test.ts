import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startConnectorChecks } from '../../../../src/core/buckets/connectorCheck.ts';
import { findS3Connector, setS3Connector } from '../../../../src/core/buckets/connectorQueries.ts';
import { requestConnectorCheck } from '../../../../src/core/buckets/connectors.ts';
import { openStore, type Store } from '../../../../src/db/database.ts';
import { type Queue, startQueue } from '../../../../src/db/queue.ts';
import { OPERATOR } from '../../../../src/domain/auditLog.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { type TestDatabase, testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { insertOrganization, type TestOrganization } from '../../../support/insertRows.ts';
import { type Listener, listenHttp } from '../../../support/listeners.ts';
import { type S3Server, startS3Server } from '../../../support/s3Server.ts';
import { TEST_KEY_RING } from '../../../support/testKeys.ts';
import { TEST_LOG } from '../../../support/testLog.ts';

let database: TestDatabase;
let store: Store;
let queue: Queue;
let organization: TestOrganization;
let server: S3Server;
let bucket: string;
const opened: Listener[] = [];

beforeAll(async () => {
  server = await startS3Server();
  bucket = await server.createBucket();
  database = await testDatabase();
  store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  queue = await startQueue({ databaseUrl: database.url, onError: () => undefined });
  organization = await insertOrganization(store.db);
  const guard = createGuard({ allow: ['127.0.0.0/8'] });
  await startConnectorChecks({ store, queue, guard, log: TEST_LOG });
}, 900_000);
afterAll(async () => {
  await queue?.stop({ timeoutMs: 500 });
  await store?.close();
  await database?.close();
  await server?.close();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

/** Sets the connector and checks it. @returns the result. */
async function check(account: { endpoint: string; accessKeyId: string; secretAccessKey: string }, to = bucket) {
  const { endpoint, accessKeyId, secretAccessKey } = account;
  await setS3Connector(store.db, organization.slug, {
    ...{ endpoint, accessKeyId, secretAccessKey, region: 'us-east-1', forcePathStyle: true },
  });
  const target = { bucket: to, key_prefix: 'a/' };
  const of = { organizationId: organization.id, name: 's3' };
  await store.db.transaction().execute((tx) => requestConnectorCheck(tx, of, target, { queue, actor: OPERATOR }));
  return eventually(async () => {
    const row = await findS3Connector(store.db, { organizationId: organization.id, name: 's3' });
    if (row?.check_status === 'pending') throw new Error('The check is still pending.');
    return { status: row?.check_status, message: row?.check_message, hasEnd: row?.check_finished_at !== null };
  });
}

/** An S3 server that refuses one method with AccessDenied. */
async function refusing(method: string, message: string) {
  const methods: string[] = [];
  const listener = await listenHttp((request, response) => {
    request.resume();
    methods.push(request.method ?? '');
    if (request.method !== method) return void response.writeHead(request.method === 'PUT' ? 200 : 204).end();
    response.writeHead(403, { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`);
  });
  opened.push(listener);
  return { methods, account: { endpoint: listener.url, accessKeyId: 'id', secretAccessKey: 'secret' } };
}

test('a check writes an object into a real bucket and deletes it', async () => {
  expect(await check(server)).toEqual({
    status: 'passed',
    message: `Wrote an object into ${bucket} and deleted it.`,
    hasEnd: true,
  });
});

test('a check of an unknown bucket says so', async () => {
  expect(await check(server, 'no-such-bucket')).toMatchObject({
    status: 'failed',
    message: 'The bucket no-such-bucket does not exist.',
  });
});

test.each([
  ['Access Denied', 's3:PutObject'],
  ['User: arn:x is not authorized to perform: kms:GenerateDataKey on resource: y', 'kms:GenerateDataKey'],
])('a check that may not write names the missing permission (%s)', async (message, permission) => {
  const { account, methods } = await refusing('PUT', message);
  expect(await check(account)).toMatchObject({
    status: 'failed',
    message: `The access key of the connector lacks the permission ${permission} for the bucket ${bucket}.`,
  });
  expect(methods).toEqual(['PUT']);
});

test('a check that may not delete passes and names the object that stays', async () => {
  const { account } = await refusing('DELETE', 'Access Denied');
  expect(await check(account)).toMatchObject({
    status: 'passed',
    message: expect.stringMatching(/stays there as a\/tearsheet-check-.*lacks the permission s3:DeleteObject/),
  });
});

test('a check of an address that is not allowed connects to nothing', async () => {
  const account = { endpoint: 'http://10.0.0.1', accessKeyId: 'id', secretAccessKey: 'secret' };
  expect(await check(account)).toMatchObject({ status: 'failed', message: expect.stringContaining('is not public') });
});
