import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startConnectorChecks } from '../../../../src/core/buckets/connectorCheck.ts';
import { findS3Connector, setS3Connector } from '../../../../src/core/buckets/connectorQueries.ts';
import { ConnectorRoles } from '../../../../src/core/buckets/connectorRoles.ts';
import { requestConnectorCheck } from '../../../../src/core/buckets/connectors.ts';
import { uploadToBucket } from '../../../../src/core/buckets/s3Client.ts';
import { openStore, type Store } from '../../../../src/db/database.ts';
import { type Queue, startQueue } from '../../../../src/db/queue.ts';
import { OPERATOR } from '../../../../src/domain/auditLog.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { type TestDatabase, testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { insertOrganization } from '../../../support/insertRows.ts';
import { listenHttp } from '../../../support/listeners.ts';
import { POD_TOKEN, stubPodIdentity } from '../../../support/podIdentity.ts';
import { type StsStandIn, startStsStandIn } from '../../../support/stsStandIn.ts';
import { TEST_KEY_RING } from '../../../support/testKeys.ts';
import { TEST_LOG } from '../../../support/testLog.ts';

const guard = createGuard({ allow: ['127.0.0.0/8'] });
const principal = 'arn:aws:iam::999999999999:role/tearsheet';
const ARN = 'arn:aws:iam::111122223333:role/pictures';
const OPEN = 'arn:aws:iam::111122223333:role/open';
const MINE = randomUUID();
const role = (change: Partial<{ arn: string; externalId: string }> = {}) => ({
  ...{ arn: ARN, externalId: MINE, region: 'eu-central-1' },
  ...change,
});

let restoreIdentity: () => Promise<void>;
let sts: StsStandIn;

beforeEach(async () => {
  restoreIdentity = await stubPodIdentity(principal);
  sts = await startStsStandIn({
    token: POD_TOKEN,
    roles: { [ARN]: MINE, [OPEN]: undefined },
    credentials: { accessKeyId: 'ASIAROLE', secretAccessKey: 'role-secret' },
  });
});
afterEach(async () => {
  await restoreIdentity();
  await sts.close();
});

const roles = (now?: () => number) =>
  new ConnectorRoles({ guard, principal, endpoint: sts.url, ...(now !== undefined && { now }) });

describe('the role of a connector', () => {
  test('a role is assumed with the token of the pod and the external id, and refuses any other id', async () => {
    expect(await roles().credentialsOf(role())).toMatchObject({ accessKeyId: 'ASIAROLE', sessionToken: 'session' });
    const [first, second, ...more] = sts.assumed;
    expect(first).toBe(`${ARN} ${MINE}`);
    expect(second?.startsWith(`${ARN} `)).toBe(true);
    expect(second).not.toBe(first);
    expect(more).toEqual([]);
  });

  test('credentials are shared and renewed before they expire', async () => {
    let now = Date.now();
    const cached = roles(() => now);
    sts.expiresAt = new Date(now + 3_600_000);
    await Promise.all([cached.credentialsOf(role()), cached.credentialsOf(role())]);
    now += 45 * 60_000;
    await cached.credentialsOf(role());
    expect(sts.assumed).toHaveLength(2);
    now += 10 * 60_000;
    await Promise.all([cached.credentialsOf(role()), cached.credentialsOf(role())]);
    expect(sts.assumed).toHaveLength(3);
  });

  test('a role that accepts any external id is refused', async () => {
    await expect(roles().credentialsOf(role({ arn: OPEN }))).rejects.toThrow(
      `The role ${OPEN} accepts any external id, so another organization of this service could use it. Add the condition sts:ExternalId = ${MINE} to its trust policy.`,
    );
  });

  test('a role that does not trust the service names the trust policy and the external id', async () => {
    const other = randomUUID();
    await expect(roles().credentialsOf(role({ externalId: other }))).rejects.toThrow(
      `AWS does not let this service assume the role ${ARN}. Its trust policy must allow sts:AssumeRole for ${principal} with the condition sts:ExternalId = ${other}.`,
    );
  });

  test('a service without an AWS identity says so', async () => {
    for (const name of ['AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
      vi.stubEnv(name, undefined);
    await expect(roles().credentialsOf(role())).rejects.toThrow('This service has no AWS identity.');
  });

  test('an identity that AWS does not accept is the task of the operator', async () => {
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', undefined);
    await expect(roles().credentialsOf(role())).rejects.toThrow(
      'AWS does not accept the identity of this service (InvalidClientTokenId). Its operator must renew it.',
    );
  });

  test('STS at an address that is not allowed gets no connection', async () => {
    const strict = new ConnectorRoles({ guard: createGuard({ allow: [] }), principal, endpoint: sts.url });
    await expect(strict.credentialsOf(role())).rejects.toThrow('The address of AWS STS is not public');
    expect(sts.connections).toBe(0);
  });

  test('a bucket that refuses a role names the role and the permission', async () => {
    const refusing = await listenHttp((request, response) => {
      request.resume();
      response.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>m</Message></Error>');
    });
    const connector = {
      ...{ endpoint: refusing.url, region: 'us-east-1', forcePathStyle: true },
      ...(await roles().credentialsOf(role())),
    };
    const object = { key: 'k', bytes: Buffer.from('p'), contentType: 'image/png' };
    expect(await uploadToBucket({ ...object, bucket: 'customer', connector, guard })).toMatchObject({
      error: 'The role of the connector lacks the permission s3:PutObject for the bucket customer.',
    });
    await refusing.close();
  });
});

/** Plays an S3 server that knows only the credentials of the role. The real one of the tests has no sessions. */
async function bucketOfRole() {
  const methods: string[] = [];
  const listener = await listenHttp((request, response) => {
    request.resume();
    const { authorization = '', 'x-amz-security-token': token } = request.headers;
    const isRole = token === 'session' && authorization.includes('Credential=ASIAROLE/');
    methods.push(`${request.method} ${isRole}`);
    response.writeHead(isRole ? 200 : 403).end();
  });
  return { methods, listener };
}

describe('the check of a connector with a role', () => {
  let database: TestDatabase;
  let store: Store;
  let queue: Queue;
  beforeAll(async () => {
    database = await testDatabase();
    store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
    queue = await startQueue({ databaseUrl: database.url, onError: () => undefined });
  }, 900_000);
  afterAll(async () => {
    await queue?.stop({ timeoutMs: 500 });
    await store?.close();
    await database?.close();
  });

  test('a check uses the session of the role, and fails if the role does not trust the service', async () => {
    const { id: organizationId, slug } = await insertOrganization(store.db);
    const credentials = { accessKeyId: 'ASIAROLE', secretAccessKey: 'role-secret' };
    const own = await startStsStandIn({ token: POD_TOKEN, roles: { [ARN]: organizationId }, credentials });
    const { methods, listener } = await bucketOfRole();
    const ownRoles = new ConnectorRoles({ guard, principal, endpoint: own.url });
    await startConnectorChecks({ store, queue, guard, roles: ownRoles, log: TEST_LOG });
    const key = { organizationId, name: 's3' };
    const check = async (roleArn: string) => {
      // The API takes no endpoint beside a role, because the role belongs to AWS.
      const account = { roleArn, region: 'us-east-1', endpoint: listener.url, forcePathStyle: true };
      await setS3Connector(store.db, slug, account);
      const target = { bucket: 'pictures', key_prefix: 'a/' };
      await store.db.transaction().execute((tx) => requestConnectorCheck(tx, key, target, { queue, actor: OPERATOR }));
      return eventually(async () => {
        const row = await findS3Connector(store.db, key);
        if (row?.check_status === 'pending') throw new Error('The check is still pending.');
        return { status: row?.check_status, message: row?.check_message };
      });
    };
    expect(await check(ARN)).toEqual({ status: 'passed', message: 'Wrote an object into pictures and deleted it.' });
    expect(methods).toEqual(['PUT true', 'DELETE true']);
    expect(await check(`${ARN}-other`)).toMatchObject({
      ...{ status: 'failed', message: expect.stringContaining(`sts:ExternalId = ${organizationId}`) },
    });
    await Promise.all([own.close(), listener.close()]);
  });
});
