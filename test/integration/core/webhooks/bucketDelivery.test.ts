import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openArtifacts } from '../../../../src/artifacts/open.ts';
import type { ArtifactStore } from '../../../../src/artifacts/store.ts';
import { type Deliveries, startDeliveries } from '../../../../src/commands/service/startDeliveries.ts';
import { setS3Connector } from '../../../../src/core/buckets/connectorQueries.ts';
import { sealSecret } from '../../../../src/db/secrets/sealing.ts';
import { createGuard } from '../../../../src/egress/guard.ts';
import { PNG, PNG_FACTS } from '../../../support/captureClient.ts';
import { type TestDatabase, testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { insertAnimation } from '../../../support/exportSet.ts';
import { insertAd, insertOrganization, insertSet, launch, type TestOrganization } from '../../../support/insertRows.ts';
import { listenHttp } from '../../../support/listeners.ts';
import { type LocalInstallation, startLocalInstallation } from '../../../support/localInstallation.ts';
import { type S3Server, startS3Server } from '../../../support/s3Server.ts';
import { TEST_LOG } from '../../../support/testLog.ts';

let database: TestDatabase;
let shop: LocalInstallation;
let deliveries: Deliveries;
let server: S3Server;
let bucket: string;
let customer: ArtifactStore;
let organization: TestOrganization;

beforeAll(async () => {
  server = await startS3Server();
  bucket = await server.createBucket();
  database = await testDatabase();
  shop = await startLocalInstallation({ databaseUrl: database.url });
  organization = await insertOrganization(shop.store.db);
  const { endpoint, region, accessKeyId, secretAccessKey } = server;
  customer = openArtifacts(`s3://${bucket}`, {
    ...{ endpoint, region, forcePathStyle: true },
    credentials: { accessKeyId, secretAccessKey },
  });
  await shop.store.db
    .insertInto('s3_connectors')
    .values({
      ...{ organization_id: organization.id, endpoint, region, force_path_style: true },
      access_key_id: accessKeyId,
      secret_access_key: sealSecret(
        shop.store.db,
        secretAccessKey,
        `s3_connectors.secret_access_key of ${organization.id}`,
      ),
    })
    .execute();
  deliveries = await startDeliveries({
    ...{ store: shop.store, queue: shop.queue, artifacts: shop.artifacts },
    guard: createGuard({ allow: ['127.0.0.0/8', '::1/128'] }),
    log: TEST_LOG,
  });
}, 900_000);

afterAll(async () => {
  customer?.close();
  await deliveries?.stop(0);
  await shop?.close();
  await database?.close();
  await server?.close();
});

const subscribers = () => [{ s3_bucket: bucket, s3_key_prefix: 'ar_' }];
const delivered = () =>
  eventually(async () => {
    const rows = await shop.store.db.selectFrom('deliveries').select('status').execute();
    expect(rows).toEqual([{ status: 'delivered' }]);
  });

test('a set is delivered with all its pictures and the manifest', async () => {
  const { db } = shop.store;
  const adId = await insertAd(db, organization);
  const setId = await insertSet(db, organization, {
    pictures: [{ adId }, { adId, site: 'https://blog.example/', device: 'Apple iPhone X', markerMs: 1_500 }],
    subscribers: subscribers(),
  });
  await launch(db, shop.queue, organization);
  await delivered();
  const folder = `ar_screenshot_sets/${setId}`;
  const keys = [`${folder}/001-news.example-desktop-Ad-0.png`, `${folder}/002-blog.example-Apple-iPhone-X-Ad-1500.png`];
  const manifest = JSON.parse((await customer.get(`${folder}/manifest.json`)).bytes.toString());
  expect(manifest.kind).toBe('placement_preview');
  expect(manifest.files.map(({ key }: { key: string }) => key)).toEqual(keys);
  expect(manifest.files[0]).toMatchObject({ sha256: PNG_FACTS.sha256, warnings: [] });
  expect(manifest.event).toMatchObject({ topic: 'screenshot_set.approved', data: { object: { id: setId } } });
  for (const key of keys) expect((await customer.get(key)).bytes.equals(PNG)).toBe(true);
  const { id } = await db
    .selectFrom('screenshots')
    .select('id')
    .where('set_id', '=', setId)
    .orderBy('seq')
    .executeTakeFirstOrThrow();
  const { gif } = await insertAnimation({ db, artifacts: shop.artifacts, organization }, id);
  await db
    .updateTable('deliveries')
    .set({ status: 'pending', finished_at: null, next_attempt_at: new Date() })
    .execute();
  await delivered();
  const again = JSON.parse((await customer.get(`${folder}/manifest.json`)).bytes.toString());
  const { animation } = again.files[0];
  expect(animation).toEqual({ webp: keys[0]?.replace('.png', '.webp'), gif: keys[0]?.replace('.png', '.gif') });
  expect(again.files[1].animation).toBeUndefined();
  expect((await customer.get(animation.gif)).bytes.equals(gif)).toBe(true);
  await db.deleteFrom('delivery_attempts').execute();
  await db.deleteFrom('deliveries').execute();
});

test('an ad of create-ad is delivered as its preview', async () => {
  const { db } = shop.store;
  const adId = await insertAd(db, organization, { source: 'create_ad', subscribers: subscribers() });
  await launch(db, shop.queue, organization);
  await delivered();
  expect((await customer.get(`ar_ads/${adId}/preview.png`)).bytes.equals(PNG)).toBe(true);
  const made = await db.selectFrom('delivery_attempts').select(['outcome', 'status_code']).execute();
  expect(made).toEqual([{ outcome: 'delivered', status_code: 200 }]);
});

test('a subscriber that names a connector gets its pictures through this one', async () => {
  const { db } = shop.store;
  const other = await insertOrganization(db);
  const { endpoint, region, accessKeyId, secretAccessKey } = server;
  const common = { region, accessKeyId, forcePathStyle: true };
  // Nothing listens on this port: a delivery through the default connector fails.
  await setS3Connector(db, other.slug, { ...common, endpoint: 'http://127.0.0.1:9', secretAccessKey: 'wrong' });
  await setS3Connector(db, other.slug, { ...common, name: 'archive', endpoint, secretAccessKey });
  const named = [{ s3_bucket: bucket, s3_key_prefix: 'named..by/', s3_connector: 'archive' }];
  const adId = await insertAd(db, other, { source: 'create_ad', subscribers: named });
  await launch(db, shop.queue, other);
  await eventually(async () => {
    const rows = await db.selectFrom('deliveries').select('status').where('ad_id', '=', adId).execute();
    expect(rows).toEqual([{ status: 'delivered' }]);
  });
  expect((await customer.get(`named..by/ads/${adId}/preview.png`)).bytes.equals(PNG)).toBe(true);
});

test('a server that is too busy decides when the next attempt is made', async () => {
  const { db } = shop.store;
  const busy = await listenHttp((request, response) => {
    request.resume();
    response.writeHead(503, { 'retry-after': '1800' });
    response.end('<Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>');
  });
  const other = await insertOrganization(db);
  await db
    .insertInto('s3_connectors')
    .values({
      ...{ organization_id: other.id, endpoint: busy.url, region: 'us-east-1', force_path_style: true },
      access_key_id: 'id',
      secret_access_key: sealSecret(db, 'secret', `s3_connectors.secret_access_key of ${other.id}`),
    })
    .execute();
  const adId = await insertAd(db, other, { source: 'create_ad', subscribers: subscribers() });
  await launch(db, shop.queue, other);
  const ofAd = () => db.selectFrom('deliveries').where('ad_id', '=', adId);
  await eventually(async () => {
    expect(await ofAd().select(['status', 'attempts']).execute()).toEqual([{ status: 'pending', attempts: 1 }]);
  });
  const { wait } = await ofAd()
    .select(sql<number>`extract(epoch from next_attempt_at - created_at)::int`.as('wait'))
    .executeTakeFirstOrThrow();
  expect(wait).toBeGreaterThanOrEqual(1_800);
  await busy.close();
});
