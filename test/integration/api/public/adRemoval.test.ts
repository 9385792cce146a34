import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deleteAd, lockAd } from '../../../../src/core/removal/deletions.ts';
import { OLD_ROWS } from '../../../../src/core/removal/oldRows.ts';
import { sweepFiles } from '../../../../src/core/removal/removedFiles.ts';
import { thumbnailKey } from '../../../../src/domain/thumbnails.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Json, memoryArtifacts, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

const files = new Map<string, Buffer>();
const artifacts = memoryArtifacts(files);
let api: TestApi;
let organizationId: string;
beforeAll(async () => {
  api = await startPublicApi({ artifacts });
  ({ id: organizationId } = await api.store.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow());
});
afterAll(() => api.close());

const media = { type: 'url', content: 'https://cdn.example/banner.png' };
const screenshots = [{ site: { url: 'https://news.example' }, device: { name: 'desktop' } }];

async function newAd(ad: object = {}, { campaign = 'Ads', status = 'uploaded' as const } = {}): Promise<Json> {
  const subscribers = [{ webhook: { url: 'https://you.example/hook' } }];
  const { json } = await api.post('ads', { campaign: { name: campaign }, ad: { media, ...ad }, subscribers });
  await api.store.db.updateTable('ads').set({ status }).where('id', '=', json.id).execute();
  return json;
}

async function newSet(adId: string, campaign = 'Ads'): Promise<string> {
  const requests = [{ ad: { id: adId }, screenshots }];
  const { json } = await api.post('screenshot_requests', {
    campaign: { name: campaign },
    screenshot_requests: requests,
  });
  await api.store.db.updateTable('screenshot_sets').set({ status: 'approved' }).where('id', '=', json.id).execute();
  return json.id;
}

/** Stores a picture with a thumbnail. @returns its token. */
async function newPicture(): Promise<string> {
  const token = randomUUID();
  const key = `pictures/${token}`;
  for (const name of [key, thumbnailKey(key, { width: 192, isWhole: false })]) files.set(name, Buffer.from('x'));
  const facts = { artifact_key: key, width: 1, height: 1, bytes: 1, sha256: 'a'.repeat(64) };
  await api.store.db
    .insertInto('images')
    .values({ token, organization_id: organizationId, ...facts })
    .execute();
  return token;
}

/** A settled job with two frames of the ad; the first is its preview. @returns their tokens. */
async function addPreview(adId: string): Promise<string[]> {
  const { db } = api.store;
  const id = randomUUID();
  const settled = { deadline_at: new Date(), settled_at: new Date() };
  const job = { id, name: `ads-${id}`, organization_id: organizationId, set_id: null, indexes: 1, parallelism: 1 };
  await db
    .insertInto('screenshot_jobs')
    .values({ ...job, ...settled })
    .execute();
  await db.insertInto('job_creatives').values({ job_id: id, ad_id: adId, wanted: '[]' }).execute();
  const tokens = [await newPicture(), await newPicture()];
  for (const [marker_ms, image_token] of tokens.entries())
    await db
      .insertInto('creative_frames')
      .values({ job_id: id, ad_id: adId, marker_ms, image_token, ratio: 1 })
      .execute();
  await db
    .updateTable('ads')
    .set({ preview_token: tokens[0] ?? null })
    .where('id', '=', adId)
    .execute();
  return tokens;
}

async function addDelivery(adId: string): Promise<void> {
  await sql`with e as (insert into events (id, organization_id, topic, body)
      values (gen_random_uuid(), ${organizationId}, 'ad.uploaded', '{}') returning id),
    d as (insert into deliveries (id, organization_id, event_id, subscriber_id, ad_id, channel, target)
      select gen_random_uuid(), ${organizationId}, e.id, s.id, ${adId}, 'webhook', 'https://you.example/hook'
      from e, subscribers s where s.ad_id = ${adId} returning id)
    insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, outcome)
    select id, 1, now(), 5, 'retry' from d`.execute(api.store.db);
}

const sweep = () => sweepFiles({ db: api.store.db, artifacts });

const rowsOf = async (table: 'ads' | 'campaigns', id: string) =>
  (await api.store.db.selectFrom(table).select('id').where('id', '=', id).execute()).length;
const statusOf = async (path: string) => (await api.get(path)).status;

describe('a deleted ad', () => {
  test('it answers 410, is in no list, frees its lookup key, and a second request changes nothing', async () => {
    const ad = await newAd({ lookup_key: 'free again' });
    expect((await api.remove(`ads/${ad.id}`)).status).toBe(204);
    const reply = await api.get(`ads/${ad.id}`);
    expect([reply.status, reply.json.code]).toEqual([410, 'gone']);
    expect((await api.get(`ads?q=${ad.id}`)).json.total).toBe(0);
    const again = await newAd({ lookup_key: 'free again' });
    expect(again.id).not.toBe(ad.id);
    expect((await api.remove(`ads/${ad.id}`)).status).toBe(204);
    expect([await rowsOf('ads', ad.id), await rowsOf('ads', again.id)]).toEqual([0, 1]);
  });

  test('its pictures, thumbnails, deliveries and subscribers go, and no other file', async () => {
    const before = new Set(files.keys());
    const ad = await newAd();
    const tokens = await addPreview(ad.id);
    await addDelivery(ad.id);
    await api.remove(`ads/${ad.id}`);
    expect(await sweep()).toBe(2);
    expect([...files.keys()].sort()).toEqual([...before].sort());
    for (const token of tokens) expect((await api.send({ path: `/i/${token}.png` })).status).toBe(410);
    for (const table of ['deliveries', 'delivery_attempts', 'creative_frames', 'job_creatives'])
      expect([table, await api.count(table)]).toEqual([table, 0]);
    expect(await rowsOf('ads', ad.id)).toBe(0);
  });

  test('its upload goes too, unless another ad uses it', async () => {
    const upload = async () => {
      const key = api.organization.api_key;
      const body = `<p>${randomUUID()}</p><img src="x.png" width="300" height="250">`;
      const headers = { authorization: key, 'content-type': 'application/octet-stream' };
      return (await api.send({ method: 'POST', path: '/api/v1/orgs/acme/uploads?name=a.html', headers, body })).json.id;
    };
    const [alone, shared] = [await upload(), await upload()];
    const ads = [await newAd({ media: { type: 'upload', content: alone } })];
    ads.push(await newAd({ media: { type: 'upload', content: shared } }));
    await newAd({ media: { type: 'upload', content: shared } });
    for (const { id } of ads) await api.remove(`ads/${id}`);
    await OLD_ROWS.upload(api.store.db, 10);
    expect([await statusOf(`uploads/${alone}`), await statusOf(`uploads/${shared}`)]).toEqual([404, 200]);
  });

  test('an ad whose preview is being captured cannot be deleted, nor one that a set shows', async () => {
    const pending = (await api.post('ads', { campaign: { name: 'Ads' }, ad: { media } })).json;
    expect((await api.remove(`ads/${pending.id}`)).json.errors.status[0]).toContain('is pending');
    const ad = await newAd();
    const setId = await newSet(ad.id);
    const reply = await api.remove(`ads/${ad.id}`);
    expect([reply.status, reply.json.errors.id[0]]).toEqual([409, expect.stringContaining('delete these sets first')]);
    await api.remove(`screenshot_sets/${setId}`);
    expect((await api.remove(`ads/${ad.id}`)).status).toBe(204);
    expect(await rowsOf('ads', ad.id)).toBe(0);
  });

  test('a request cannot use a deleted ad', async () => {
    const ad = await newAd();
    await api.remove(`ads/${ad.id}`);
    const requests = [{ ad: { id: ad.id }, screenshots }];
    const reply = await api.post('screenshot_requests', { campaign: { name: 'Ads' }, screenshot_requests: requests });
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, ['screenshot_requests.0.ad.id']]);
    expect((await api.remove(`ads/${randomUUID()}`)).status).toBe(404);
  });

  test('requests and deletions of one ad at the same time leave no screenshot without its ad', async () => {
    for (let round = 0; round < 10; round += 1) {
      const ad = await newAd();
      const requests = [{ ad: { id: ad.id }, screenshots }];
      const body = { campaign: { name: 'Ads' }, screenshot_requests: requests };
      const [made, removed] = await Promise.all([api.post('screenshot_requests', body), api.remove(`ads/${ad.id}`)]);
      expect([
        [202, 409],
        [422, 204],
      ]).toContainEqual([made?.status, removed?.status]);
    }
  });

  const bodies = {
    ads: (lookup_key: string) => ({ campaign: { name: 'Ads' }, ad: { lookup_key, media } }),
    screenshot_requests: (lookup_key: string) => ({
      campaign: { name: 'Ads' },
      screenshot_requests: [{ ad: { lookup_key, media }, screenshots }],
    }),
  };
  test.each([
    ['ads', 201],
    ['screenshot_requests', 202],
  ] as const)(
    'a request to %s that waits for the deletion of an ad with its lookup key makes a new ad',
    async (path, status) => {
      const ad = await newAd({ lookup_key: `deleted for ${path}` });
      let reply: ReturnType<typeof api.post> | undefined;
      await api.store.db.transaction().execute(async (tx) => {
        await lockAd(tx, { id: ad.id, organizationId });
        reply = api.post(path, bodies[path](ad.lookup_key));
        await eventually(async () => expect(await waitForLocks()).toBe(1));
        await deleteAd(tx, ad.id);
      });
      expect((await reply)?.status).toBe(status);
      const { json } = await api.get(`ads?lookup_key=${encodeURIComponent(ad.lookup_key)}`);
      expect(json.data).toEqual([expect.objectContaining({ lookup_key: ad.lookup_key, status: 'pending' })]);
      expect(json.data[0].id).not.toBe(ad.id);
    },
  );

  /** How many other sessions of this database wait for a lock. */
  async function waitForLocks(): Promise<number> {
    const { rows } = await api.store.pool.query<{ count: number }>(
      "select count(*)::integer as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows[0]?.count ?? 0;
  }

  test.each(['ads', 'screenshot_requests'] as const)(
    'a request to %s answers 409 if ads with its lookup key come and go again and again',
    async (path) => {
      // As if another request stored the ad before each insert, and another one deleted it after that.
      await api.store.pool.query(`create function skip() returns trigger language plpgsql as 'begin return null; end';
        create trigger skip before insert on ads for each row execute function skip()`);
      try {
        const reply = await api.post(path, bodies[path]('never stored'));
        expect([reply.status, reply.json.code, Object.keys(reply.json.errors)]).toEqual([
          409,
          'conflict',
          ['lookup_key'],
        ]);
      } finally {
        await api.store.pool.query('drop trigger skip on ads; drop function skip()');
      }
    },
  );
});

describe('a deleted campaign', () => {
  test('it answers 410, its name is free, and its sets and ads go with it', async () => {
    const ad = await newAd({}, { campaign: 'Gone' });
    const setId = await newSet(ad.id, 'Gone');
    const lonely = await newAd({}, { campaign: 'Gone' });
    const path = `campaigns/${ad.campaign_id}`;
    expect([(await api.remove(path)).status, await statusOf(path)]).toEqual([204, 410]);
    expect((await api.get('campaigns?name=Gone')).json.total).toBe(0);
    expect((await newAd({}, { campaign: 'Gone' })).campaign_id).not.toBe(ad.campaign_id);
    expect((await api.remove(path)).status).toBe(204);
    for (const gone of [path, `screenshot_sets/${setId}`, `ads/${lonely.id}`])
      expect([gone, await statusOf(gone)]).toEqual([gone, 410]);
    expect([
      await rowsOf('ads', ad.id),
      await rowsOf('ads', lonely.id),
      await rowsOf('campaigns', ad.campaign_id),
    ]).toEqual([0, 0, 0]);
  });

  test('a campaign with a set that is captured cannot be deleted', async () => {
    const ad = await newAd({}, { campaign: 'Busy' });
    const setId = await newSet(ad.id, 'Busy');
    const { db } = api.store;
    await db.updateTable('screenshot_sets').set({ status: 'capturing' }).where('id', '=', setId).execute();
    const reply = await api.remove(`campaigns/${ad.campaign_id}`);
    expect([reply.status, reply.json.errors.id[0]]).toEqual([409, expect.stringContaining('cancel the sets')]);
    await db.updateTable('screenshot_sets').set({ status: 'canceled' }).where('id', '=', setId).execute();
    expect((await api.remove(`campaigns/${ad.campaign_id}`)).status).toBe(204);
  });

  test('a request cannot name a deleted campaign by its id', async () => {
    const { campaign_id: id } = await newAd({}, { campaign: 'By id' });
    await api.remove(`campaigns/${id}`);
    const ad = await api.post('ads', { campaign: { id }, ad: { media } });
    expect([ad.status, Object.keys(ad.json.errors)]).toEqual([422, ['campaign.id']]);
    expect((await api.get('campaigns')).json.data.map((row: Json) => row.id)).not.toContain(id);
  });

  test('a campaign with more than 50,000 screenshots cannot be deleted in one piece', async () => {
    const ad = await newAd({}, { campaign: 'Large' });
    const setId = await newSet(ad.id, 'Large');
    await sql`insert into screenshots (id, set_id, seq, ad_id, site_url, site_key, device)
      select gen_random_uuid(), ${setId}, n, ${ad.id}, 'a.example', 'a.example', 'desktop' from generate_series(1, 50000) n`.execute(
      api.store.db,
    );
    const reply = await api.remove(`campaigns/${ad.campaign_id}`);
    expect([reply.status, reply.json.errors.id[0]]).toEqual([409, expect.stringContaining('more than 50,000')]);
  });
});
