/** Answers and comments of clients with a share link, and what a link must never reach. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClientAnswer } from '../../../../src/contract/sharing.ts';
import { threadsOfScreenshots } from '../../../../src/core/reviews/commentQueries.ts';
import { latestAnswers } from '../../../../src/core/sharing/answerQueries.ts';
import { answerShare, commentOnShare, type ShareVisit } from '../../../../src/core/sharing/answers.ts';
import { findShareLink } from '../../../../src/core/sharing/shareLinks.ts';
import { unlockToken, verifySharePassword } from '../../../../src/core/sharing/sharePasswords.ts';
import { ANSWERS_OF_LINK_MAX, COMMENTS_OF_LINK_MAX } from '../../../../src/domain/shareLinks.ts';
import { insertExportSet } from '../../../support/exportSet.ts';
import { type Json, memoryArtifacts, startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { required } from '../../../support/required.ts';

const artifacts = memoryArtifacts(new Map());
let api: TestApi;
let organization: { id: string; slug: string; campaignId: string };
beforeAll(async () => {
  api = await startPublicApi({ artifacts });
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  const { id, campaign_id } = (await api.post('ads', { campaign: { name: 'Answered' }, ad: { media } })).json;
  const ad = await api.store.db.selectFrom('ads').select('organization_id').where('id', '=', id).executeTakeFirst();
  organization = { id: required(ad?.organization_id), slug: 'acme', campaignId: campaign_id };
  await api.post('webhook_endpoints', { url: 'https://hook.example/', topics: ['share.answered'] });
});
afterAll(() => api.close());

const secret = Buffer.alloc(32, 1);
const ANNA = { name: ' Anna Client ', email: 'anna@client.example' };
const CLIENT = { name: 'Anna Client', email: 'anna@client.example', ip_address: '203.0.113.7' };

/** A set in review with two pictures and a failure, and a link to it. */
async function newLink(wanted: object = {}) {
  const { db } = api.store;
  const shots = [{}, { site: 'https://sport.example/' }, { failure: 'No slot.' }];
  const { id: setId, shots: ids } = await insertExportSet({ db, artifacts, organization }, shots, {
    status: 'in_review',
  });
  const link = (await api.post(`screenshot_sets/${setId}/shares`, { label: 'Anna', answers: true, ...wanted })).json;
  const visit: ShareVisit = { shareId: link.id, address: CLIENT.ip_address, tokens: [], secret };
  return { setId, ids, link, visit, first: required(ids[0]) };
}

const answer = (visit: ShareVisit, given: Partial<ClientAnswer> = {}) =>
  api.store.db.transaction().execute((tx) => answerShare(tx, visit, { answer: 'approved', ...ANNA, ...given }));
const comment = (visit: ShareVisit, given: object = {}) =>
  api.store.db.transaction().execute((tx) => commentOnShare(tx, visit, { body: 'Hello.', ...ANNA, ...given }));
const listed = async (setId: string): Promise<Json[]> => (await api.get(`screenshot_sets/${setId}/answers`)).json.data;

describe('the answer of a client', () => {
  test('an answer about one picture is stored with its author, listed and sent, and changes no review', async () => {
    const { setId, link, visit, first } = await newLink();
    const before = (await api.get(`screenshot_sets/${setId}`)).json;
    await answer(visit, { screenshot_id: first, answer: 'changes_requested', comment: 'New logo, please.' });
    const [record] = await listed(setId);
    expect(record).toEqual({
      ...{ type: 'share_answer', id: expect.any(String), screenshot_set_id: setId, screenshot_id: first, pictures: 1 },
      ...{ share: { id: link.id, label: 'Anna' }, answer: 'changes_requested', comment: 'New logo, please.' },
      ...{ comment_id: expect.any(String), client: CLIENT, created_at: expect.any(String) },
    });
    const [thread] = (await api.get(`screenshots/${first}/comments`)).json.data;
    expect(thread).toMatchObject({
      ...{ id: record?.comment_id, author: { key: null, client: { ...CLIENT, share_id: link.id } } },
    });
    const [event] = (await api.get(`events?screenshot_set_id=${setId}`)).json.data;
    expect(event.topic).toBe('share.answered');
    expect((await api.get(`events/${event.id}`)).json).toMatchObject({
      data: { object: record },
      deliveries: [{ status: 'pending' }],
    });
    expect((await api.get(`screenshot_sets/${setId}`)).json).toEqual(before);
  });

  test('an answer for all is about the pictures without one, and the newest answer about each picture counts', async () => {
    const { setId, visit, ids, first } = await newLink();
    const second = required(ids[1]);
    await answer(visit, { screenshot_id: first, answer: 'changes_requested' });
    await answer(visit, { comment: 'All good.', answer: 'changes_requested' });
    await answer(visit, { screenshot_id: second });
    const newest = await latestAnswers(api.store.db, ids);
    expect(ids.map((id) => newest.get(id)?.answer)).toEqual(['changes_requested', 'approved', undefined]);
    expect((await listed(setId)).map(({ screenshot_id, pictures }) => [screenshot_id, pictures])).toEqual([
      [second, 1],
      [null, 1],
      [first, 1],
    ]);
    expect((await api.get(`screenshot_sets/${setId}/comments`)).json.data).toMatchObject([
      { body: 'All good.', screenshot_id: null },
    ]);
  });

  test('a reply of a client opens its thread again, and the client sees only threads of the link', async () => {
    const { visit, first } = await newLink();
    await api.post(`screenshots/${first}/comments`, { body: 'Between us.' });
    const { id } = await comment(visit, { screenshot_id: first, pin: { x: 0.5, y: 0.5 } });
    await api.post(`screenshots/${first}/comments`, { body: 'Done.', reply_to: id });
    await api.store.db.updateTable('comments').set({ resolved_at: new Date() }).where('id', '=', id).execute();
    await comment(visit, { screenshot_id: first, reply_to: id, body: 'Not quite.' });
    const seen = await threadsOfScreenshots(api.store.db, [first], { shareId: visit.shareId });
    expect(seen.get(first)).toMatchObject([
      { id, resolved_at: null, pin_x: 0.5, replies: [{ body: 'Done.' }, { body: 'Not quite.' }] },
    ]);
    expect(await threadsOfScreenshots(api.store.db, [first])).toMatchObject(new Map([[first, { length: 2 }]]));
  });
});

describe('a share link reaches nothing else', () => {
  test.each([
    ['the picture of another set', 404, 'screenshot_id', async () => (await newLink()).first],
    ['a failed screenshot', 404, 'screenshot_id', ({ ids }: { ids: readonly string[] }) => ids[2]],
  ])('%s', async (_what, status, field, idOf) => {
    const given = await newLink();
    const screenshot_id = await idOf(given);
    await expect(answer(given.visit, { screenshot_id })).rejects.toMatchObject({
      status,
      errors: { [field]: [expect.any(String)] },
    });
    await expect(comment(given.visit, { screenshot_id })).rejects.toMatchObject({ status });
    expect(await listed(given.setId)).toEqual([]);
  });

  test('a link to approved pictures reaches no other ones', async () => {
    const { visit, ids, first } = await newLink({ pictures: 'approved' });
    await expect(answer(visit)).rejects.toMatchObject({ status: 409 });
    await api.post(`screenshots/${first}/review`, { decision: 'approved' });
    await expect(answer(visit, { screenshot_id: ids[1] })).rejects.toMatchObject({ status: 404 });
    expect(await answer(visit)).toMatchObject({ pictures: 1 });
    await api.post(`screenshots/${first}/review`, { decision: 'rejected' });
    await expect(answer(visit, { screenshot_id: first })).rejects.toMatchObject({ status: 404 });
  });

  test('threads of the organization and of other links take no reply', async () => {
    const { visit, setId, first } = await newLink();
    const other = (await api.post(`screenshot_sets/${setId}/shares`, { answers: true })).json.id;
    const ours = (await api.post(`screenshots/${first}/comments`, { body: 'Between us.' })).json.id;
    const { id: theirs } = await comment({ ...visit, shareId: other }, { screenshot_id: first });
    for (const reply_to of [ours, theirs])
      await expect(comment(visit, { screenshot_id: first, reply_to })).rejects.toMatchObject({ status: 404 });
    // A thread of the link, named with another picture.
    const { id } = await comment(visit, { screenshot_id: first });
    await expect(comment(visit, { reply_to: id })).rejects.toMatchObject({ status: 404 });
  });

  test.each([
    ['was revoked', 410, `update share_links set revoked_at = now() where id = $1`],
    ['has expired', 410, `update share_links set expires_at = now() where id = $1`],
    ['allows no answers', 403, `update share_links set answers = false where id = $1`],
    ['has a password', 403, `update share_links set password_hash = '\\x00' where id = $1`],
  ])('a link that %s takes no answers and comments', async (_what, status, change) => {
    const { visit, setId } = await newLink();
    await api.store.pool.query(change, [visit.shareId]);
    await expect(answer(visit)).rejects.toMatchObject({ status });
    await expect(comment(visit)).rejects.toMatchObject({ status });
    expect(await listed(setId)).toEqual([]);
  });

  test('a link of a disabled organization takes no answers', async () => {
    const { visit } = await newLink();
    const disable = (disabled_at: Date | null) =>
      api.store.db.updateTable('organizations').set({ disabled_at }).where('id', '=', organization.id).execute();
    await disable(new Date());
    await expect(answer(visit)).rejects.toMatchObject({ status: 403, code: 'organization_disabled' });
    await disable(null);
    expect(await answer(visit)).toMatchObject({ pictures: 2 });
  });

  test('a link with a password takes answers from a browser that knew it, and from no other', async () => {
    const { visit } = await newLink({ password: 'correct horse' });
    const find = async (id: string) => required(await findShareLink(api.store.db, id));
    const link = await find(visit.shareId);
    expect(await verifySharePassword(link, 'correct horse')).toBe(true);
    expect(await verifySharePassword(link, 'Correct horse')).toBe(false);
    const token = unlockToken(secret, link);
    expect(await answer({ ...visit, tokens: ['planted', token] })).toMatchObject({ pictures: 2 });
    const other = await find((await newLink({ password: 'correct horse' })).visit.shareId);
    for (const wrong of ['', 'x', unlockToken(secret, other), unlockToken(Buffer.alloc(32), link)])
      await expect(answer({ ...visit, tokens: [wrong] })).rejects.toMatchObject({ status: 403 });
    await expect(answer(visit)).rejects.toMatchObject({ status: 403 });
  });

  test('a link takes a limited number of answers and comments', async () => {
    const { visit, setId } = await newLink();
    const copies = (table: string, columns: string) =>
      `insert into ${table} (id, organization_id, set_id, share_id, client_name, client_email, ${columns})
       select gen_random_uuid(), organization_id, set_id, share_id, client_name, client_email, ${columns}
       from ${table}, generate_series(2, $2) where share_id = $1`;
    await answer(visit);
    await comment(visit);
    const values = (most: number) => [visit.shareId, most];
    await api.store.pool.query(copies('share_answers', 'pictures, answer'), values(ANSWERS_OF_LINK_MAX));
    await api.store.pool.query(copies('comments', 'body'), values(COMMENTS_OF_LINK_MAX));
    await expect(answer(visit)).rejects.toMatchObject({
      status: 409,
      errors: { share: [expect.stringContaining('1,000')] },
    });
    await expect(comment(visit)).rejects.toMatchObject({
      status: 409,
      errors: { body: [expect.stringContaining('2,000')] },
    });
    expect((await api.get(`screenshot_sets/${setId}/answers?per_page=1`)).json.total).toBe(ANSWERS_OF_LINK_MAX);
  });
});

test('the name, e-mail address and words of a client are removed with the set', async () => {
  const { setId, visit, first } = await newLink();
  await answer(visit, { screenshot_id: first, comment: 'New logo, please.' });
  await comment(visit);
  expect((await api.remove(`screenshot_sets/${setId}`)).status).toBe(204);
  const { rows } = await api.store.pool.query(
    `select count(*)::integer as count from (select set_id from comments union all select set_id from share_answers
       union all select set_id from events) kept where set_id = $1`,
    [setId],
  );
  expect(rows).toEqual([{ count: 0 }]);
});
