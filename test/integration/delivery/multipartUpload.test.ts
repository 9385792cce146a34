import { randomBytes } from 'node:crypto';
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startUploadAborts } from '../../../src/delivery/abandonedUploads.ts';
import { LARGEST_SINGLE_UPLOAD } from '../../../src/delivery/multipartUpload.ts';
import { type BucketUpload, uploadToBucket } from '../../../src/delivery/s3Upload.ts';
import { createGuard } from '../../../src/egress/guard.ts';
import { type Queue, startQueue } from '../../../src/queue/queue.ts';
import { openStore, type Store } from '../../../src/store/database/database.ts';
import { setS3Connector } from '../../../src/store/organizations/connectors.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { insertOrganization, type TestOrganization } from '../../support/insertRows.ts';
import { listenHttp } from '../../support/listeners.ts';
import { memoryArtifacts } from '../../support/publicApi.ts';
import { type S3Server, startS3Server } from '../../support/s3Server.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';
import { TEST_LOG } from '../../support/testLog.ts';

const guard = createGuard({ allow: ['127.0.0.0/8'] });
const large = randomBytes(LARGEST_SINGLE_UPLOAD + 1);
const upload = (change: Pick<BucketUpload, 'connector' | 'bucket'> & Partial<BucketUpload>): BucketUpload => ({
  ...{ key: 'a/large.png', bytes: large, contentType: 'image/png', guard },
  ...change,
});

describe('a real S3 server', () => {
  let server: S3Server;
  let bucket: string;
  let client: S3Client;
  let database: TestDatabase;
  let store: Store;
  let queue: Queue;
  let organization: TestOrganization;
  const warnings: string[] = [];

  beforeAll(async () => {
    server = await startS3Server();
    bucket = await server.createBucket();
    const { endpoint, region, accessKeyId, secretAccessKey } = server;
    const credentials = { accessKeyId, secretAccessKey };
    client = new S3Client({ endpoint, region, credentials, forcePathStyle: true });
    database = await testDatabase();
    store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
    queue = await startQueue({ databaseUrl: database.url, onError: () => undefined });
    organization = await insertOrganization(store.db);
    const account = { endpoint, region, accessKeyId, secretAccessKey, forcePathStyle: true };
    await setS3Connector(store.db, organization.slug, account);
    const log = { ...TEST_LOG, warn: (_fields: object, message?: string) => void warnings.push(message ?? '') };
    await startUploadAborts({ store, queue, guard, log, artifacts: memoryArtifacts(new Map()) });
  }, 900_000);
  afterAll(async () => {
    await queue?.stop({ timeoutMs: 500 });
    await store?.close();
    await database?.close();
    client?.destroy();
    await server?.close();
  });

  test('a large file arrives in parts, and its upload id is known before the first part', async () => {
    const ids: string[] = [];
    const started = async (id: string) => void ids.push(id);
    const connector = { ...server, forcePathStyle: true };
    expect(await uploadToBucket(upload({ connector, bucket, started }))).toMatchObject({
      ...{ outcome: 'delivered', statusCode: 200 },
    });
    expect(ids).toHaveLength(1);
    const stored = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'a/large.png' }));
    expect(stored.ContentType).toBe('image/png');
    const bytes = await stored.Body?.transformToByteArray();
    expect(Buffer.from(bytes ?? []).equals(large)).toBe(true);
  });

  test('the upload of a process that was killed is aborted by its queue entry', async ({ skip }) => {
    skip(!server.judgesSignatures, 'the server in this process lists no uploads');
    const place = { Bucket: bucket, Key: 'a/abandoned.png' };
    const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand(place));
    const uploads = async () => (await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? [];
    expect(await uploads()).toMatchObject([{ UploadId }]);
    const entry = { organization_id: organization.id, name: 's3', bucket, key: place.Key, upload_id: UploadId };
    // The second entry finds an upload that has ended, as most entries do.
    for (let times = 0; times < 2; times += 1) await queue.enqueue(store.db, 'abort_upload', entry);
    await eventually(async () => {
      expect(await uploads()).toEqual([]);
      expect((await queue.depth()).find(({ name }) => name === 'abort_upload')?.depth).toBe(0);
    });
    expect(warnings).toEqual([]);
  });
});

/** Plays an S3 server whose bucket takes the first part and fails at the second one. */
async function failingAtPart2() {
  const calls: string[] = [];
  const listener = await listenHttp((request, response) => {
    request.resume();
    const { searchParams } = new URL(request.url ?? '', 'http://s3');
    const part = searchParams.get('partNumber');
    calls.push(`${request.method} ${part ?? (searchParams.has('uploads') ? 'begin' : searchParams.get('uploadId'))}`);
    request.on('end', () => {
      if (request.method === 'POST')
        response.end(
          '<InitiateMultipartUploadResult><Bucket>b</Bucket><Key>k</Key><UploadId>u1</UploadId></InitiateMultipartUploadResult>',
        );
      else if (part === '2')
        response.writeHead(503, { 'retry-after': '60' }).end('<Error><Code>SlowDown</Code></Error>');
      else response.writeHead(request.method === 'DELETE' ? 204 : 200, { etag: '"1"' }).end();
    });
  });
  return { calls, listener };
}

describe('an upload in parts that fails', () => {
  const account = { region: 'us-east-1', accessKeyId: 'id', secretAccessKey: 'secret', forcePathStyle: true };

  test('an upload is aborted at once if one of its parts fails, and tells why', async () => {
    const { calls, listener } = await failingAtPart2();
    const connector = { ...account, endpoint: listener.url };
    expect(await uploadToBucket(upload({ connector, bucket: 'customer' }))).toMatchObject({
      ...{ outcome: 'retry', statusCode: 503, retryAfterMs: 60_000 },
      error: 'The server asks for fewer requests (SlowDown).',
    });
    expect(calls).toEqual(['POST begin', 'PUT 1', 'PUT 2', 'DELETE u1']);
    await listener.close();
  });

  test('an upload whose queue entry cannot be stored is aborted before its first part', async () => {
    const { calls, listener } = await failingAtPart2();
    const connector = { ...account, endpoint: listener.url };
    const started = () => Promise.reject(new Error('no database'));
    expect(await uploadToBucket(upload({ connector, bucket: 'customer', started }))).toMatchObject({
      outcome: 'retry',
    });
    expect(calls).toEqual(['POST begin', 'DELETE u1']);
    await listener.close();
  });

  test('an upload is aborted at once if the process shuts down', async () => {
    const { calls, listener } = await failingAtPart2();
    const connector = { ...account, endpoint: listener.url };
    const stop = new AbortController();
    const started = async () => stop.abort();
    const result = await uploadToBucket(upload({ connector, bucket: 'customer', started, signal: stop.signal }));
    expect(result.outcome).toBe('retry');
    expect(calls).toEqual(['POST begin', 'DELETE u1']);
    await listener.close();
  });
});
