/** Sets whose pictures go into a bucket with a role. The S3 server is a stand-in, because the real one of the tests has no sessions. */
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Deliveries, startDeliveries } from '../../../../src/commands/service/startDeliveries.ts';
import { setS3Connector } from '../../../../src/core/buckets/connectorQueries.ts';
import { ConnectorRoles } from '../../../../src/core/buckets/connectorRoles.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { PNG, PNG_FACTS } from '../../../support/captureClient.ts';
import { type TestDatabase, testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, launch, type TestOrganization } from '../../../support/insertRows.ts';
import { type Listener, listenHttp } from '../../../support/listeners.ts';
import { type LocalInstallation, startLocalInstallation } from '../../../support/localInstallation.ts';
import { POD_TOKEN, stubPodIdentity } from '../../../support/podIdentity.ts';
import { type StsStandIn, startStsStandIn } from '../../../support/stsStandIn.ts';
import { TEST_LOG } from '../../../support/testLog.ts';

const PRINCIPAL = 'arn:aws:iam::999999999999:role/tearsheet';
const ARN = 'arn:aws:iam::111122223333:role/pictures';
const CREDENTIALS = { accessKeyId: 'ASIAROLE', secretAccessKey: 'role-secret' };

let restoreIdentity: () => Promise<void>;
let database: TestDatabase;
let installation: LocalInstallation;
let deliveries: Deliveries;
let organization: TestOrganization;
let sts: StsStandIn;
let bucket: Listener;
/** The external id that the role requires. */
const roles: Record<string, string> = {};
const objects = new Map<string, Buffer>();
const refused: string[] = [];

beforeAll(async () => {
  restoreIdentity = await stubPodIdentity(PRINCIPAL);
  sts = await startStsStandIn({ token: POD_TOKEN, roles, credentials: CREDENTIALS });
  bucket = await listenHttp(async (request, response) => {
    const { authorization = '', 'x-amz-security-token': session } = request.headers;
    const isRole = session === 'session' && authorization.includes(`Credential=${CREDENTIALS.accessKeyId}/`);
    const bytes = await buffer(request);
    const name = `${request.method} ${request.url?.split('?')[0]}`;
    if (isRole) objects.set(name, bytes);
    else refused.push(name);
    response.writeHead(isRole ? 200 : 403).end();
  });
  database = await testDatabase();
  installation = await startLocalInstallation({ databaseUrl: database.url });
  const { store, queue, artifacts } = installation;
  const guard = createGuard({ allow: ['127.0.0.0/8', '::1/128'] });
  deliveries = await startDeliveries({
    ...{ store, queue, artifacts, guard, log: TEST_LOG },
    roles: new ConnectorRoles({ guard, principal: PRINCIPAL, endpoint: sts.url }),
  });
}, 900_000);

afterAll(async () => {
  await deliveries?.stop(0);
  await installation?.close();
  await database?.close();
  await Promise.all([sts?.close(), bucket?.close()]);
  await restoreIdentity?.();
});

beforeEach(async () => {
  const { db } = installation.store;
  organization = await insertOrganization(db);
  // The API takes no endpoint beside a role, because the role belongs to AWS.
  const account = { roleArn: ARN, region: 'eu-central-1', endpoint: bucket.url, forcePathStyle: true };
  await setS3Connector(db, organization.slug, account);
  objects.clear();
  refused.splice(0);
});

/** Captures a set of two pictures, which a subscriber wants in its bucket. */
async function captureSet(): Promise<string> {
  const { db } = installation.store;
  const adId = await insertAd(db, organization);
  const setId = await insertSet(db, organization, {
    pictures: [{ adId }, { adId, site: 'https://blog.example/' }],
    subscribers: [{ s3_bucket: 'pictures', s3_key_prefix: 'a/' }],
  });
  await launch(db, installation.queue, organization);
  return setId;
}

/** Waits for the first attempt of the delivery of a set. */
function attempted(setId: string) {
  return eventually(async () =>
    installation.store.db
      .selectFrom('deliveries')
      .innerJoin('delivery_attempts', 'delivery_attempts.delivery_id', 'deliveries.id')
      .select(['deliveries.status', 'delivery_attempts.outcome', 'delivery_attempts.error'])
      .where('deliveries.set_id', '=', setId)
      .executeTakeFirstOrThrow(),
  );
}

test('the pictures of a set go into a bucket with the session of a role, which is assumed once', async () => {
  roles[ARN] = organization.id;
  const setId = await captureSet();
  expect(await attempted(setId)).toEqual({ status: 'delivered', outcome: 'delivered', error: null });
  const folder = `PUT /pictures/a/screenshot_sets/${setId}`;
  const manifest = JSON.parse(String(objects.get(`${folder}/manifest.json`)));
  expect(manifest.files).toMatchObject([{ sha256: PNG_FACTS.sha256 }, { sha256: PNG_FACTS.sha256 }]);
  const pictures = manifest.files.map(({ key }: { key: string }) => objects.get(`PUT /pictures/${key}`));
  expect(pictures).toEqual([PNG, PNG]);
  expect([objects.size, refused]).toEqual([3, []]);
  // The second call is the one with a random external id, which the role must deny.
  expect(sts.assumed.filter((call) => call === `${ARN} ${organization.id}`)).toHaveLength(1);
});

test('a role that no longer trusts the service delays the delivery, and the attempt names the trust policy', async () => {
  roles[ARN] = 'another id';
  const setId = await captureSet();
  const attempt = await attempted(setId);
  expect(attempt).toMatchObject({ status: 'pending', outcome: 'retry' });
  expect(attempt.error).toContain(`with the condition sts:ExternalId = ${organization.id}`);
  expect([objects.size, refused]).toEqual([0, []]);
});
