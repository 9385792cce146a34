import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeOrganization } from '../../../../src/core/organizations/organizations.ts';
import { readSetOutcome } from '../../../../src/core/sets/setStatus.ts';
import { setPictures } from '../../../../src/core/webhooks/bucketDelivery.ts';
import { type SetStatus, settledSetStatus } from '../../../../src/domain/states.ts';
import { eventually } from '../../../support/eventually.ts';
import { createKey } from '../../../support/keys.ts';
import { type Json, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const NOBODY = '00000000-0000-4000-8000-000000000000';
const ME = () => ({ key_id: api.organization.api_key.slice(8, 16), name: 'first key' });

/** A set with a picture and a failure. */
async function newSet(status: SetStatus = 'in_review'): Promise<Json> {
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  const shots = ['a', 'b'].map((name) => ({ site: { url: `https://${name}.example/` }, device: { name: 'desktop' } }));
  const body = { campaign: { name: 'Reviewed' }, screenshot_requests: [{ ad: { media }, screenshots: shots }] };
  const { id } = (await api.post('screenshot_requests', body)).json;
  await api.store.pool.query(
    `with image as (
       insert into images (token, organization_id, artifact_key, width, height, bytes, sha256)
       select $1, organization_id, $1, 1, 1, 1, '' from screenshot_sets where id = $2 returning token)
     update screenshots set status = case seq when 0 then 'uploaded' else 'no_slots' end,
       image_token = case seq when 0 then (select token from image) end where set_id = $2`,
    [`token-${id}`, id],
  );
  const approvedAt = status === 'approved' ? new Date() : null;
  await api.store.db
    .updateTable('screenshot_sets')
    .set({ status, approved_at: approvedAt })
    .where('id', '=', id)
    .execute();
  return (await api.get(`screenshot_sets/${id}`)).json;
}

const review = (id: string, body: unknown) => api.post(`screenshots/${id}/review`, body);
const read = async (set: Json): Promise<Json> => (await api.get(`screenshot_sets/${set.id}`)).json;

describe('the review of a screenshot', () => {
  test('a review of a picture of a group counts for all ads in it', async () => {
    const media = { type: 'url', content: 'https://cdn.example/banner.png' };
    const [news, blog] = ['news', 'blog'].map((name) => ({
      ...{ site: { url: `https://${name}.example/` }, device: { name: 'desktop' } },
    }));
    const entry = { ad: { media }, group: 'Takeover', screenshots: [news, blog] };
    const body = { campaign: { name: 'Reviewed' }, screenshot_requests: [entry, entry] };
    const { id } = (await api.post('screenshot_requests', body)).json;
    await api.store.pool.query(
      `with made as (
         insert into images (token, organization_id, artifact_key, width, height, bytes, sha256)
         select gen_random_uuid(), organization_id, 'key', 1, 1, 1, 'sum'
         from screenshot_sets, generate_series(1, 4) where id = $1 returning token),
       numbered as (select token, row_number() over () - 1 as seq from made)
       update screenshots s set status = 'uploaded', image_token = n.token from numbered n
       where s.set_id = $1 and s.seq = n.seq`,
      [id],
    );
    await api.store.db.updateTable('screenshot_sets').set({ status: 'in_review' }).where('id', '=', id).execute();
    const [shot] = (await read({ id })).screenshots;
    await review(shot.id, { decision: 'rejected', comment: 'The page is blank.' });
    const decided = (await read({ id })).screenshots.map((one: Json) => [one.site.url, one.review?.comment]);
    const [first, second] = [news, blog].map((page) => page?.site.url);
    expect(decided).toEqual([
      [first, 'The page is blank.'],
      [second, undefined],
      [first, 'The page is blank.'],
      [second, undefined],
    ]);
  });

  test('a decision and a comment are stored with who and when, and nothing else changes', async () => {
    const set = await newSet();
    const [shot] = set.screenshots;
    const { status, json } = await review(shot.id, { decision: 'rejected', comment: ' The logo is cut off. ' });
    const expected = {
      decision: 'rejected',
      comment: 'The logo is cut off.',
      by: ME(),
      by_user: null,
      at: expect.any(String),
    };
    expect([status, json]).toEqual([200, { ...shot, review: expected }]);
    expect(await read(set)).toEqual({ ...set, screenshots: [json, set.screenshots[1]] });
  });

  test('a decision that expects another one changes nothing, also if both are on their way', async () => {
    const [shot] = (await newSet()).screenshots;
    const { pool, db } = api.store;
    const other = db.transaction().execute(async (tx) => {
      await sql`update screenshots set decision = 'rejected' where id = ${shot.id}`.execute(tx);
      const late = review(shot.id, { decision: 'approved', expected_decision: 'none' });
      const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
      await eventually(async () => expect((await pool.query(waiting)).rowCount).toBe(1));
      return { late };
    });
    const { status, json } = await (await other).late;
    expect([status, json.code]).toEqual([409, 'decision_changed']);
    expect(json.errors.expected_decision[0]).toContain('its decision is rejected');
    const withdrawn = await review(shot.id, { decision: 'none', expected_decision: 'rejected' });
    expect([withdrawn.status, withdrawn.json.review.decision]).toEqual([200, 'none']);
  });

  test('several pictures are decided only if all have the expected decision, or the wanted one', async () => {
    const set = await newSet();
    const path = `screenshot_sets/${set.id}/reviews`;
    const decide = (decision: string, expected: string) => api.post(path, { decision, expected_decision: expected });
    expect((await decide('rejected', 'none')).status).toBe(200);
    const late = await decide('approved', 'none');
    expect([late.status, late.json.code]).toEqual([409, 'decision_changed']);
    expect((await decide('rejected', 'none')).status).toBe(200);
    expect((await read(set)).screenshots[0].review.decision).toBe('rejected');
  });

  test('a review keeps the fields that it does not name, and each step is stored', async () => {
    const [shot] = (await newSet()).screenshots;
    await review(shot.id, { decision: 'approved' });
    expect((await review(shot.id, { comment: 'Nice.' })).json.review).toMatchObject({
      decision: 'approved',
      comment: 'Nice.',
    });
    expect((await review(shot.id, { decision: 'none' })).json.review).toMatchObject({
      decision: 'none',
      comment: 'Nice.',
    });
    expect((await review(shot.id, { comment: ' ' })).json.review).toMatchObject({ decision: 'none', comment: null });
    const rows = await api.store.db
      .selectFrom('reviews')
      .select('decision')
      .where('screenshot_id', '=', shot.id)
      .execute();
    expect(rows).toHaveLength(4);
  });

  test('another key is named as the reviewer', async () => {
    const [shot] = (await newSet()).screenshots;
    const { api_key, id } = await createKey(api.store.db, 'acme', { name: 'Anna', scopes: ['write'] });
    const reply = await api.send({
      method: 'POST',
      path: `/api/v1/orgs/acme/screenshots/${shot.id}/review`,
      headers: { authorization: api_key, 'content-type': 'application/json' },
      body: '{"decision":"approved"}',
    });
    expect(reply.json.review.by).toEqual({ key_id: id, name: 'Anna' });
  });

  test('a screenshot without a picture gets comments and no decision', async () => {
    const [, failed] = (await newSet()).screenshots;
    const refused = await review(failed.id, { decision: 'approved' });
    expect([refused.status, refused.json.errors]).toEqual([
      409,
      { status: ['is no_slots, so there is no picture to review.'] },
    ]);
    const commented = await review(failed.id, { comment: 'Try the sport page.' });
    expect(commented.json.review).toMatchObject({ decision: 'none', comment: 'Try the sport page.' });
  });

  test('an invalid review is rejected', async () => {
    const [shot] = (await newSet()).screenshots;
    for (const [body, field] of [
      [{}, 'decision'],
      [{ decision: 'maybe' }, 'decision'],
      [{ comment: 'x'.repeat(10_001) }, 'comment'],
    ] as const) {
      const reply = await review(shot.id, body);
      expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, [field]]);
    }
    expect((await review(NOBODY, { decision: 'approved' })).status).toBe(404);
  });

  test('a rejected picture is neither listed as approved nor delivered to buckets', async () => {
    const set = await newSet('approved');
    const [shot] = set.screenshots;
    const listed = async () => (await api.get('screenshots')).json.data.map(({ id }: Json) => id);
    expect(await listed()).toContain(shot.id);
    expect((await setPictures(api.store.db, set.id)).map(({ id }) => id)).toEqual([shot.id]);
    await review(shot.id, { decision: 'rejected' });
    expect(await listed()).not.toContain(shot.id);
    expect(await setPictures(api.store.db, set.id)).toEqual([]);
    await review(shot.id, { decision: 'none' });
    expect(await listed()).toContain(shot.id);
  });
});

describe('the review of a set', () => {
  test.each([
    ['approve', 'approved'],
    ['reject', 'rejected'],
  ])('the record says who did %s the set, and when', async (verb, decision) => {
    const set = await newSet();
    const reply = await api.post(`screenshot_sets/${set.id}/${verb}`, { notes: 'Checked.' });
    const expected = { decision, comment: 'Checked.', by: ME(), by_user: null, at: expect.any(String) };
    expect([reply.status, reply.json.status, reply.json.review]).toEqual([200, decision, expected]);
    const listed = (await api.get('screenshot_sets')).json.data.find(({ id }: Json) => id === set.id);
    expect(listed.review).toEqual(expected);
  });
});

describe('the reviews of several screenshots', () => {
  const reviewAll = (set: Json, body: unknown) => api.post(`screenshot_sets/${set.id}/reviews`, body);
  const decisions = async (ids: readonly string[]) => {
    const replies = await Promise.all(ids.map((id) => api.get(`screenshots/${id}`)));
    return replies.map(({ json }) => json.review?.decision);
  };

  /** A set with three pictures, of which the second is rejected with a comment. */
  async function threePictures() {
    const set = await newSet();
    for (const seq of [10, 20]) {
      const move = 'update screenshots set set_id = $1, seq = seq + $3 where set_id = $2';
      await api.store.pool.query(move, [set.id, (await newSet()).id, seq]);
    }
    const shots: Json[] = (await read(set)).screenshots;
    const ids = shots.filter(({ status }) => status === 'uploaded').map(({ id }) => id);
    await review(ids[1] ?? '', { decision: 'rejected', comment: 'Cut off.' });
    return { set, ids, failed: shots.find(({ status }) => status !== 'uploaded')?.id };
  }

  test('a group is approved together, and the answer undoes it', async () => {
    const { set, ids } = await threePictures();
    const { status, json } = await reviewAll(set, { decision: 'approved', screenshot_ids: ids });
    expect([status, json.decision, json.screenshot_ids.toSorted()]).toEqual([200, 'approved', ids.toSorted()]);
    expect(await decisions(ids)).toEqual(['approved', 'approved', 'approved']);
    expect((await api.get(`screenshots/${ids[1]}`)).json.review.comment).toBe('Cut off.');
    for (const body of json.previous) expect((await reviewAll(set, body)).status).toBe(200);
    expect(await decisions(ids)).toEqual(['none', 'rejected', 'none']);
    expect((await read(set)).status).toBe('in_review');
  });

  test('without ids, all pictures of the set get the decision, with one entry in the audit log', async () => {
    const { set, ids } = await threePictures();
    await reviewAll(set, { decision: 'rejected' });
    expect(await decisions(ids)).toEqual(['rejected', 'rejected', 'rejected']);
    const [entry] = (await api.get('audit_log?action=screenshot_set.pictures_reviewed')).json.data;
    expect(entry).toMatchObject({ object: { id: set.id }, actor: ME() });
    expect(entry.changes[0].field).toBe('rejected');
    expect(entry.changes[0].to.split(', ').toSorted()).toEqual(ids.toSorted());
  });

  test('one wrong screenshot stops the whole decision', async () => {
    const { set, ids, failed } = await threePictures();
    const foreign = (await newSet()).screenshots[0].id;
    for (const [id, expected] of [
      [foreign, [422, 'screenshot_ids']],
      [failed, [409, 'status']],
    ] as const) {
      const reply = await reviewAll(set, { decision: 'approved', screenshot_ids: [...ids, id] });
      expect([reply.status, ...Object.keys(reply.json.errors)]).toEqual(expected);
    }
    expect(await decisions(ids)).toEqual([undefined, 'rejected', undefined]);
  });
});

describe('a reopened set', () => {
  test.each(['approve', 'reject'])('a set after %s is in review again, and can be decided again', async (verb) => {
    const set = await newSet();
    const url = 'https://hook.example/reopened';
    await api.post('webhook_endpoints', { url, topics: ['screenshot_set.reopened'] });
    await api.post(`screenshot_sets/${set.id}/${verb}`, '');
    const reply = await api.post(`screenshot_sets/${set.id}/reopen`, '');
    expect([reply.status, reply.json.status, reply.json.review.decision]).toEqual([200, 'in_review', 'none']);
    expect((await api.get(`screenshots/${set.screenshots[0].id}`)).json.approved_at).toBeNull();
    const events = await api.get(`events?screenshot_set_id=${set.id}&topic=screenshot_set.reopened`);
    expect(events.json.total).toBe(1);
    const [entry] = (await api.get('audit_log?action=screenshot_set.reopened')).json.data;
    expect(entry).toMatchObject({ object: { id: set.id }, actor: ME(), changes: [{ to: 'in_review' }] });
    expect((await api.post(`screenshot_sets/${set.id}/approve`, '')).json.status).toBe('approved');
  });

  test('only an approved or rejected set can be reopened', async () => {
    const set = await newSet();
    const reply = await api.post(`screenshot_sets/${set.id}/reopen`, '');
    expect([reply.status, reply.json.errors]).toEqual([
      409,
      { status: ['is in_review, so the set cannot be reopened.'] },
    ]);
  });
});

describe('the review of a retake', () => {
  /** @returns a set, and a retake of its picture that waits for a review. */
  async function retaken(): Promise<{ set: Json; retake: Json }> {
    const [set, retake] = [await newSet(), await newSet()];
    const [of, shot] = [set.screenshots[0].id, retake.screenshots[0].id];
    const change = (table: string) => `update ${table} set retake_of = $2, original_id = $2 where id = $1`;
    await api.store.pool.query(change('screenshot_sets'), [retake.id, set.id]);
    await api.store.pool.query(change('screenshots'), [shot, of]);
    return { set, retake };
  }
  const listed = async () => (await api.get('screenshots')).json.data.map(({ id }: Json) => id);

  test('the decision about its last picture ends its review', async () => {
    const { retake } = await retaken();
    const [shot] = retake.screenshots;
    await review(shot.id, { decision: 'approved' });
    expect((await read(retake)).status).toBe('approved');
    expect(await listed()).toContain(shot.id);
    const other = (await retaken()).retake;
    await review(other.screenshots[0].id, { decision: 'rejected' });
    expect((await read(other)).status).toBe('rejected');
  });

  test.each([
    ['withdrawn', 'rejected', 'none', 'in_review'],
    ['changed', 'rejected', 'approved', 'approved'],
  ])('its review follows if that decision is %s', async (_how, first, second, expected) => {
    const { retake } = await retaken();
    const [shot] = retake.screenshots;
    await review(shot.id, { decision: first });
    await review(shot.id, { decision: second });
    expect((await read(retake)).status).toBe(expected);
  });

  test('a retake that approved itself stays approved if a decision is withdrawn', async () => {
    const { retake } = await retaken();
    const update = api.store.db.updateTable('screenshot_sets').set({ status: 'approved', approved_at: new Date() });
    await update.where('id', '=', retake.id).execute();
    const [shot] = retake.screenshots;
    for (const decision of ['rejected', 'none']) await review(shot.id, { decision });
    expect((await read(retake)).status).toBe('approved');
  });

  test('it is reviewed with the pictures of the set that it repeats', async () => {
    const { set, retake } = await retaken();
    const screenshot_ids = [set, retake].map(({ screenshots }) => screenshots[0].id);
    const reply = await api.post(`screenshot_sets/${set.id}/reviews`, { decision: 'rejected', screenshot_ids });
    expect([reply.status, (await read(retake)).status]).toEqual([200, 'rejected']);
    const [entry] = (await api.get('audit_log?action=screenshot_set.pictures_reviewed')).json.data;
    expect(entry.object.id).toBe(set.id);
  });

  test('the approval of a set approves the retakes that its page shows', async () => {
    const { set, retake } = await retaken();
    expect((await api.post(`screenshot_sets/${set.id}/approve`, '')).status).toBe(200);
    expect((await read(retake)).status).toBe('approved');
    expect(await listed()).toContain(retake.screenshots[0].id);
  });

  test('a decision about one picture of a set that repeats nothing leaves the set in review', async () => {
    const set = await newSet();
    await review(set.screenshots[0].id, { decision: 'approved' });
    expect((await read(set)).status).toBe('in_review');
  });
});

describe('the review mode', () => {
  test('the settings show and change how sets are approved', async () => {
    const change = (body: unknown, authorization = api.organization.api_key) =>
      api.send({
        method: 'PATCH',
        path: '/api/v1/orgs/acme/settings',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const settings = (await api.get('settings')).json;
    expect(settings).toMatchObject({
      ...{ type: 'settings', review: 'automatic', sending_addresses: [], set_retention_days: null },
    });
    expect((await change({ review: 'partial' })).json).toEqual({ ...settings, review: 'partial' });
    expect((await change({})).json.review).toBe('partial');
    expect([(await change({ review: 'never' })).status, (await api.get('settings')).json.review]).toEqual([
      422,
      'partial',
    ]);
    const locale = { language: 'de', time_zone: 'Europe/Berlin' };
    expect((await change(locale)).json).toEqual({ ...settings, review: 'partial', ...locale });
    expect((await change({ review: 'partial', language: null })).json).toMatchObject(locale);
    const faulty = await change({ language: 'xx', time_zone: '+01:00' });
    expect([faulty.status, Object.keys(faulty.json.errors)]).toEqual([422, ['language', 'time_zone']]);
    const writer = await createKey(api.store.db, 'acme', { scopes: ['read', 'write'] });
    expect((await change({ review: 'manual' }, writer.api_key)).status).toBe(403);
  });

  test.each([
    ['automatic', 'approved'],
    ['partial', 'in_review'],
    ['manual', 'in_review'],
  ] as const)('with %s review, a set with a failure becomes %s', async (mode, expected) => {
    const set = await newSet('capturing');
    await changeOrganization(api.store.db, 'acme', { review: mode });
    const { review, ...counts } = await readSetOutcome(api.store.db, set.id);
    expect(settledSetStatus(counts, review)).toBe(expected);
  });

  test('with partial review, a complete set approves itself, and a set without pictures fails', () => {
    expect(settledSetStatus({ uploaded: 2, total: 2 }, 'partial')).toBe('approved');
    expect(settledSetStatus({ uploaded: 0, total: 2 }, 'partial')).toBe('failed');
  });
});
