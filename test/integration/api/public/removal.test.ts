import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ArtifactStore } from '../../../../src/artifacts/store.ts';
import { OLD_ROWS } from '../../../../src/core/removal/oldRows.ts';
import { expireSets } from '../../../../src/core/removal/removal.ts';
import { sweepFiles } from '../../../../src/core/removal/removedFiles.ts';
import { insertImages } from '../../../../src/core/sets/images.ts';
import { insertExportSet, type TestSet } from '../../../support/exportSet.ts';
import type { TestOrganization } from '../../../support/insertRows.ts';
import { memoryArtifacts, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

const files = new Map<string, Buffer>();
const artifacts = memoryArtifacts(files);
let api: TestApi;
let organization: TestOrganization;
beforeAll(async () => {
  api = await startPublicApi({ artifacts });
  const { id } = await api.store.db
    .selectFrom('organizations')
    .select('id')
    .where('slug', '=', 'acme')
    .executeTakeFirstOrThrow();
  organization = { id, slug: 'acme', campaignId: randomUUID() };
  await api.store.db
    .insertInto('campaigns')
    .values({ id: organization.campaignId, organization_id: id, name: 'Spring' })
    .execute();
});
afterAll(() => api.close());

const newSet = (shots: Parameters<typeof insertExportSet>[1], options?: Parameters<typeof insertExportSet>[2]) =>
  insertExportSet({ db: api.store.db, artifacts, organization }, shots, options);
const image = (token: string | undefined, rest = '.png') => api.send({ path: `/i/${token}${rest}` });

const sweep = (store: ArtifactStore = artifacts) => sweepFiles({ db: api.store.db, artifacts: store });

/** The job of a set with one creative, whose frame is `frame`. */
async function addJob(set: TestSet, frame: string | undefined): Promise<string> {
  const { db } = api.store;
  const id = randomUUID();
  const row = { id, name: `set-${set.id}`, organization_id: organization.id, set_id: set.id };
  const sizes = { indexes: 1, parallelism: 1, deadline_at: new Date(), settled_at: new Date() };
  await db
    .insertInto('screenshot_jobs')
    .values({ ...row, ...sizes })
    .execute();
  await db.insertInto('job_indexes').values({ job_id: id, index: 0 }).execute();
  const { ad_id } = await db
    .selectFrom('screenshots')
    .select('ad_id')
    .where('set_id', '=', set.id)
    .executeTakeFirstOrThrow();
  await db.insertInto('job_creatives').values({ job_id: id, ad_id, wanted: '[]' }).execute();
  if (frame !== undefined) {
    const values = { job_id: id, ad_id, marker_ms: -1, image_token: frame };
    await db
      .insertInto('creative_frames')
      .values({ ...values, ratio: 1 })
      .execute();
  }
  return ad_id;
}

async function addDelivery(set: TestSet): Promise<void> {
  const { pool } = api.store;
  const ids = [randomUUID(), randomUUID(), randomUUID(), organization.id, set.id];
  await pool.query(
    `with s as (insert into subscribers (id, organization_id, set_id, seq, webhook_url)
       values ($1, $4, $5, 0, 'https://you.example/hook') returning id),
     e as (insert into events (id, organization_id, topic, body, set_id) values ($2, $4, 'screenshot_set.approved', '{}', $5) returning id),
     d as (insert into deliveries (id, organization_id, event_id, subscriber_id, set_id, channel, target)
       select $3, $4, e.id, s.id, $5, 'webhook', 'https://you.example/hook' from e, s returning id)
     insert into delivery_attempts (delivery_id, attempt, started_at, duration_ms, outcome) select id, 1, now(), 5, 'retry' from d`,
    ids,
  );
}

describe('a deleted set', () => {
  test('a deleted set answers 410, is in no list, and a second request changes nothing', async () => {
    const set = await newSet([{}]);
    const path = `screenshot_sets/${set.id}`;
    expect((await api.remove(path)).status).toBe(204);
    const reply = await api.get(path);
    expect([reply.status, reply.json.code, Object.keys(reply.json.errors)]).toEqual([410, 'gone', ['id']]);
    const { json } = await api.get('screenshot_sets');
    expect(json.data.map(({ id }: { id: string }) => id)).not.toContain(set.id);
    for (const action of ['cancel', 'approve', 'retake', 'shares'])
      expect([action, (await api.post(`${path}/${action}`, {})).status]).toEqual([action, 410]);
    expect((await api.remove(path)).status).toBe(204);
    expect((await api.get(`screenshots/${set.shots[0]}`)).status).toBe(410);
  });

  test('a set that waits or is captured cannot be deleted, nor one of another organization', async () => {
    const { id } = await newSet([{}], { status: 'capturing' });
    const reply = await api.remove(`screenshot_sets/${id}`);
    expect([reply.status, reply.json.errors.status[0]]).toEqual([409, expect.stringContaining('cancel the set')]);
    expect((await api.get(`screenshot_sets/${id}`)).status).toBe(200);
    expect((await api.remove(`screenshot_sets/${randomUUID()}`)).status).toBe(404);
  });

  test('a set whose job is not settled cannot be deleted', async () => {
    const set = await newSet([{}]);
    await addJob(set, undefined);
    await api.store.db.updateTable('screenshot_jobs').set({ settled_at: null }).where('set_id', '=', set.id).execute();
    expect((await api.remove(`screenshot_sets/${set.id}`)).status).toBe(409);
    await api.store.db.updateTable('screenshot_jobs').set({ settled_at: new Date() }).execute();
    expect((await api.remove(`screenshot_sets/${set.id}`)).status).toBe(204);
  });

  test('the removal deletes all files of the set and no other file', async () => {
    const other = await newSet([{}]);
    await sweep();
    const before = new Set(files.keys());
    const set = await newSet([{}, { device: 'iphone' }, { failure: 'no slot' }]);
    const [token] = set.tokens;
    for (const rest of [
      '/192.webp',
      '/768.webp',
      '.png?frame=browser',
      '.png?frame=device',
      '.png?frame=device&label=false',
    ])
      expect((await image(token, rest)).status).toBe(200);
    expect(files.size).toBe(before.size + 7);
    await api.remove(`screenshot_sets/${set.id}`);
    expect(await sweep()).toBe(2);
    expect([...files.keys()].sort()).toEqual([...before].sort());
    for (const rest of ['.png', '/192.webp', '.png?frame=browser']) {
      const reply = await image(token, rest);
      expect([rest, reply.status, reply.json.errors.token]).toEqual([
        rest,
        410,
        ['This picture was removed with its set.'],
      ]);
    }
    expect((await image(other.tokens[0])).status).toBe(200);
  });

  test('all rows of the set go, and its event stays', async () => {
    const set = await newSet([{ failure: 'no slot' }]);
    const picture = {
      organizationId: organization.id,
      key: 'frames/one.png',
      sha256: 'a',
      bytes: 1,
      width: 1,
      height: 1,
    };
    const [frame] = await insertImages(api.store.db, [picture]);
    await addJob(set, frame);
    await addDelivery(set);
    await api.remove(`screenshot_sets/${set.id}`);
    expect((await image(frame)).status).toBe(410);
    for (const table of ['deliveries', 'delivery_attempts', 'creative_frames', 'subscribers'])
      expect([table, await api.count(table)]).toEqual([table, 0]);
    const { json } = await api.get(`events?screenshot_set_id=${set.id}`);
    expect(json.data).toEqual([expect.objectContaining({ screenshot_set_id: set.id })]);
    expect((await api.get(`events/${json.data[0].id}`)).json.deliveries).toEqual([]);
  });

  test('the preview of an ad stays when its set is removed', async () => {
    const set = await newSet([{}]);
    const other = await newSet([{}]);
    const [preview = ''] = other.tokens;
    const adId = await addJob(set, preview);
    await api.store.db.updateTable('ads').set({ preview_token: preview }).where('id', '=', adId).execute();
    await api.remove(`screenshot_sets/${set.id}`);
    await sweep();
    expect([(await image(set.tokens[0])).status, (await image(preview)).status]).toEqual([410, 200]);
  });

  test('a retake outlives the set that it repeats', async () => {
    const set = await newSet([{}]);
    const retake = await newSet([{ retakeOf: set.shots[0] }], { retakeOf: set.id });
    await api.remove(`screenshot_sets/${set.id}`);
    const { status, json } = await api.get(`screenshot_sets/${retake.id}`);
    expect([status, json.screenshots.length]).toEqual([200, 1]);
  });

  test('the job of a removed set stays for eight days after its end', async () => {
    const { db } = api.store;
    const set = await newSet([{}]);
    await addJob(set, undefined);
    await api.remove(`screenshot_sets/${set.id}`);
    const age = (days: number) =>
      sql`update screenshot_jobs set settled_at = now() - make_interval(days => ${days})`.execute(db);
    await age(7);
    expect(await OLD_ROWS.job(db, 10)).toBe(0);
    await age(9);
    expect(await OLD_ROWS.job(db, 10)).toBeGreaterThan(0);
    const left = await db.selectFrom('screenshot_jobs').select('set_id').execute();
    expect(left.every(({ set_id }) => set_id !== null)).toBe(true);
  });

  test('a sweeper that was killed leaves the keys, and the next one deletes the same files again', async () => {
    await sweep();
    const before = files.size;
    const set = await newSet([{}, {}, {}]);
    await api.remove(`screenshot_sets/${set.id}`);
    let deletions = 0;
    const failing: ArtifactStore = {
      ...artifacts,
      delete: (key) => {
        deletions += 1;
        return deletions > 3 ? Promise.reject(new Error('killed')) : artifacts.delete(key);
      },
    };
    await expect(sweep(failing)).rejects.toThrow('killed');
    expect([await api.count('removed_files'), (await image(set.tokens[2])).status]).toEqual([3, 410]);
    const both = await Promise.all([sweep(), sweep()]);
    expect([both.reduce((sum, count) => sum + count), files.size]).toEqual([3, before]);
  });

  test('files of an export that is being built go an hour later, because it may still write them', async () => {
    const { db } = api.store;
    const set = await newSet([{}]);
    const { json } = await api.post(`screenshot_sets/${set.id}/exports`, { format: 'zip' });
    await db.updateTable('exports').set({ status: 'building', attempt: 2 }).where('id', '=', json.id).execute();
    await sweep();
    await api.remove(`screenshot_sets/${set.id}`);
    await sweep();
    const rows = await db.selectFrom('removed_files').selectAll().orderBy('key').execute();
    expect(rows.map(({ key }) => key)).toEqual([1, 2].map((attempt) => `exports/${json.id}/${attempt}.zip`));
    expect(Number(rows[0]?.due_at) - Date.now()).toBeGreaterThan(3_000_000);
    await db.deleteFrom('removed_files').execute();
  });
});

describe('the retention of sets', () => {
  const aged = async (days: number) => {
    const set = await newSet([{ failure: 'no slot' }]);
    await sql`update screenshot_sets set created_at = now() - make_interval(days => ${days}) where id = ${set.id}`.execute(
      api.store.db,
    );
    return async () => (await api.get(`screenshot_sets/${set.id}`)).status;
  };
  const patch = (body: object) =>
    api.send({
      method: 'PATCH',
      path: '/api/v1/orgs/acme/settings',
      headers: { authorization: `Bearer ${api.organization.api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('sets stay unless the operator or the organization chose a number of days', async () => {
    const [old, young] = [await aged(40), await aged(20)];
    expect(await expireSets(api.store.db)).toBe(0);
    expect((await patch({ set_retention_days: 30 })).json.set_retention_days).toBe(30);
    expect(await expireSets(api.store.db)).toBe(1);
    expect([await old(), await young()]).toEqual([410, 200]);
    expect((await patch({ set_retention_days: null })).json.set_retention_days).toBeNull();
    expect(await expireSets(api.store.db, 10)).toBe(1);
    expect(await young()).toBe(410);
  });

  test.each([0, 1.5, 36_501, '7'])('%j days are rejected', async (days) => {
    const { status, json } = await patch({ set_retention_days: days });
    expect([status, Object.keys(json.errors)]).toEqual([422, ['set_retention_days']]);
  });
});
