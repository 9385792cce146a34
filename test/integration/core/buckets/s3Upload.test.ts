import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openArtifacts } from '../../../../src/artifacts/open.ts';
import { manifestKey } from '../../../../src/core/buckets/objectKeys.ts';
import { type BucketUpload, uploadToBucket } from '../../../../src/core/buckets/s3Client.ts';
import { keyPrefixFault } from '../../../../src/domain/connectors.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { type Listener, listen, listenHttp } from '../../../support/listeners.ts';
import { startLockedBucket } from '../../../support/lockedBucket.ts';
import { type S3Server, startS3Server } from '../../../support/s3Server.ts';

const LOOPBACK = createGuard({ allow: ['127.0.0.0/8'] });
const opened: Listener[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});
async function keep(starting: Promise<Listener>): Promise<Listener> {
  const listener = await starting;
  opened.push(listener);
  return listener;
}

function tryTo(endpoint: string, change: Partial<BucketUpload> = {}): BucketUpload {
  return {
    connector: { endpoint, region: 'us-east-1', accessKeyId: 'id', secretAccessKey: 'secret', forcePathStyle: true },
    bucket: 'customer',
    key: 'ar_ads/1/preview.png',
    bytes: Buffer.from('picture'),
    contentType: 'image/png',
    guard: LOOPBACK,
    ...change,
  };
}

describe('a real S3 server', () => {
  let server: S3Server;
  let bucket: string;
  beforeAll(async () => {
    server = await startS3Server();
    bucket = await server.createBucket();
  }, 900_000);
  afterAll(() => server?.close());
  const connector = () => ({ ...server, forcePathStyle: true });

  test('an upload that is repeated leaves one object', async () => {
    for (let tries = 0; tries < 2; tries++) {
      const result = await uploadToBucket(tryTo(server.endpoint, { connector: connector(), bucket }));
      expect(result).toEqual({ outcome: 'delivered', statusCode: 200 });
    }
    const { endpoint, region, accessKeyId, secretAccessKey } = server;
    const credentials = { accessKeyId, secretAccessKey };
    const store = openArtifacts(`s3://${bucket}`, { endpoint, region, forcePathStyle: true, credentials });
    expect(await store.get('ar_ads/1/preview.png')).toMatchObject({ contentType: 'image/png', size: 7 });
    store.close();
  });

  test.each([
    ...['a..b/', 'été/', 'e\u0301/', 'p q+%2f?#/', '%2e%2e/', 'a/.../', "~!*'()&=:@/", '\u00a0\u3000/', '🖼/'],
    `${'x'.repeat(127)}/`.repeat(4),
  ])('the prefix %j is part of the key as given', async (prefix) => {
    const key = manifestKey({ keyPrefix: prefix, setId: 's' });
    expect(keyPrefixFault(prefix)).toBeUndefined();
    const result = await uploadToBucket(tryTo(server.endpoint, { connector: connector(), bucket, key }));
    expect(result.outcome).toBe('delivered');
    const { endpoint, region, accessKeyId, secretAccessKey } = server;
    const client = new S3Client({
      ...{ endpoint, region, forcePathStyle: true },
      credentials: { accessKeyId, secretAccessKey },
    });
    const listed = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
    client.destroy();
    expect(listed.Contents?.map((object) => object.Key)).toEqual([`${prefix}screenshot_sets/s/manifest.json`]);
  });

  test.for<{ what: string; wrong: Record<string, string>; statusCode: number; error: string }>([
    {
      what: 'bucket',
      wrong: { bucket: 'no-such-bucket' },
      statusCode: 404,
      error: 'The bucket no-such-bucket does not exist.',
    },
    {
      what: 'secret',
      wrong: { secretAccessKey: 'wrong' },
      statusCode: 403,
      error: 'The secret key of the connector is wrong.',
    },
  ])(
    'the failure of an upload names the wrong $what',
    async ({ what, wrong: { bucket: other, ...wrong }, statusCode, error }, { skip }) => {
      skip(what === 'secret' && !server.judgesSignatures, 'this server judges no signatures');
      const upload = tryTo(server.endpoint, { connector: { ...connector(), ...wrong }, bucket: other ?? bucket });
      expect(await uploadToBucket(upload)).toMatchObject({ outcome: 'retry', statusCode, error });
    },
  );
});

test.each([true, false])(
  'a bucket with Object Lock gets a checksum, and a server without it gets none: %s',
  async (knowsMd5) => {
    const bucket = await startLockedBucket({ knowsMd5 });
    opened.push(bucket);
    expect(await uploadToBucket(tryTo(bucket.url))).toMatchObject({ outcome: 'delivered', statusCode: 200 });
    expect(bucket.stored).toEqual(['/customer/ar_ads/1/preview.png?x-id=PutObject']);
  },
);

// The server above stores objects as files, so it cannot hold these.
test.each(['/', '/a//b/', 'x'.repeat(512)])(
  'the prefix %j is part of the requested address as given',
  async (prefix) => {
    const paths: string[] = [];
    const server = await keep(
      listenHttp((request, response) => {
        paths.push(decodeURIComponent(request.url?.split('?')[0] ?? ''));
        request.resume().on('end', () => response.end());
      }),
    );
    const key = manifestKey({ keyPrefix: prefix, setId: 's' });
    expect(await uploadToBucket(tryTo(server.url, { key }))).toMatchObject({ outcome: 'delivered' });
    expect(paths).toEqual([`/customer/${prefix}screenshot_sets/s/manifest.json`]);
  },
);

describe('a hostile endpoint', () => {
  test.each(['127.0.0.1', '0x7f.1', 'localhost', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]'])(
    'an endpoint at %s gets no connection',
    async (host) => {
      const listener = await keep(listen());
      for (const scheme of ['http', 'https']) {
        const guard = createGuard({ allow: [] });
        const result = await uploadToBucket(tryTo(`${scheme}://${host}:${listener.port}`, { guard }));
        expect(result).toMatchObject({ outcome: 'refused', error: expect.stringContaining('is not public') });
      }
      expect(listener.connections).toBe(0);
    },
  );

  test('an endpoint that is the metadata service is refused', async () => {
    const result = await uploadToBucket(tryTo('http://169.254.169.254', { guard: createGuard({ allow: [] }) }));
    expect(result.error).toContain('is not public');
  });

  test.each(['http://169.254.169.254/latest', 'not an address', 'file:///etc/passwd'])(
    'the endpoint %s fails with a reason',
    async (endpoint) => {
      const result = await uploadToBucket(tryTo(endpoint));
      expect(result).toMatchObject({
        outcome: endpoint.startsWith('http') ? 'refused' : 'retry',
        error: expect.stringMatching(/\w/),
      });
    },
  );

  test('an endpoint that never answers causes a timeout', async () => {
    const silent = await keep(listen());
    const result = await uploadToBucket(tryTo(silent.url, { timeoutMs: 150 }));
    expect(result).toMatchObject({ outcome: 'retry', error: 'The upload took longer than 0.15 s.' });
  });

  test('an endless response is cut off', async () => {
    const endless = await keep(
      listenHttp((_request, response) => {
        response.writeHead(500, { 'content-type': 'application/xml' });
        const more = () => {
          while (response.write('<x>'.repeat(10_000)));
        };
        response.on('drain', more);
        more();
      }),
    );
    const result = await uploadToBucket(tryTo(endless.url, { timeoutMs: 20_000 }));
    expect(result).toMatchObject({ outcome: 'retry', error: expect.stringContaining('larger than') });
    await expect.poll(() => endless.open).toBe(0);
  });

  const xml = (code: string, message = 'm') =>
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  const otherRegion = (region: string) =>
    `The bucket customer is in another region${region}. Name its region in the subscriber or in the connector.`;

  test.each([
    [503, xml('SlowDown'), 'The server asks for fewer requests (SlowDown).'],
    [400, xml('ExpiredToken'), "The connector's session has expired."],
    [403, xml('InvalidAccessKeyId'), 'The server does not know the access key of the connector.'],
    [
      403,
      xml('AccessDenied'),
      'The access key of the connector lacks the permission s3:PutObject for the bucket customer.',
    ],
    [
      403,
      xml(
        'AccessDenied',
        'User: arn:aws:iam::1:user/u is not authorized to perform: kms:GenerateDataKey on resource: arn:aws:kms:eu-west-1:1:key/2 because no identity-based policy allows it',
      ),
      'The access key of the connector lacks the permission kms:GenerateDataKey for the key arn:aws:kms:eu-west-1:1:key/2.',
    ],
    [301, xml('PermanentRedirect'), otherRegion('')],
    [
      400,
      xml('AuthorizationHeaderMalformed', "the region 'us-east-1' is wrong; expecting 'eu-west-1'"),
      otherRegion(': eu-west-1'),
    ],
    [
      403,
      '',
      'The server answered 403 without a reason: check that the access key has the permission s3:PutObject for the bucket customer.',
    ],
    [
      502,
      '<html><b>Bad gateway</html>',
      'The server answered 502 with something other than an S3 response. Check that its address is that of an S3 server.',
    ],
    [400, xml('Odd', `${'y'.repeat(400)}`), `The server answered 400: ${'y'.repeat(300)}….`],
  ])('an upload that is answered with %i %s is retried later', async (status, body, error) => {
    const server = await keep(
      listenHttp((request, response) => {
        request.resume();
        response.writeHead(status, { 'content-type': 'application/xml' });
        response.end(body);
      }),
    );
    expect(await uploadToBucket(tryTo(server.url))).toMatchObject({ outcome: 'retry', statusCode: status, error });
    expect(server.connections).toBe(1);
  });

  test('an upload names the encryption, the KMS key and the storage class of the connector', async () => {
    const headers: unknown[] = [];
    const server = await keep(
      listenHttp((request, response) => {
        request.resume();
        headers.push(request.headers);
        response.end();
      }),
    );
    const upload = tryTo(server.url);
    const more = { encryption: 'aws:kms', kmsKeyId: 'alias/pictures', storageClass: 'STANDARD_IA' } as const;
    await uploadToBucket({ ...upload, connector: { ...upload.connector, ...more } });
    await uploadToBucket(upload);
    const names = ['', '-aws-kms-key-id'].map((end) => `x-amz-server-side-encryption${end}`);
    expect(headers[0]).toMatchObject({
      [names[0] ?? '']: 'aws:kms',
      [names[1] ?? '']: 'alias/pictures',
      'x-amz-storage-class': 'STANDARD_IA',
    });
    for (const name of [...names, 'x-amz-storage-class']) expect(headers[1]).not.toHaveProperty(name);
  });

  test('an upload that is reset midway can be retried', async () => {
    const server = await keep(listen((socket) => socket.once('data', () => socket.resetAndDestroy())));
    expect(await uploadToBucket(tryTo(server.url))).toMatchObject({
      outcome: 'retry',
      error: 'The server closed the connection before it answered.',
    });
  });

  test('a server that speaks another protocol fails with a reason', async () => {
    const server = await keep(listen((socket) => socket.once('data', () => socket.end('garbage\r\n\r\n'))));
    const result = await uploadToBucket(tryTo(server.url));
    expect(result).toMatchObject({ outcome: 'retry', error: 'The server does not answer in HTTP.' });
  });
});
