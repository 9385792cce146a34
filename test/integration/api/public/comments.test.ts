/** Threads of comments on pictures and sets. Comments of clients are in answers.test.ts. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countOpenThreads } from '../../../../src/core/reviews/commentQueries.ts';
import { COMMENTS_OF_PICTURE_MAX } from '../../../../src/domain/reviews.ts';
import { createKey } from '../../../support/keys.ts';
import { type Json, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const ME = () => ({ key_id: api.organization.api_key.slice(8, 16), name: 'first key' });

async function newSet(): Promise<{ setId: string; shotId: string }> {
  const media = { type: 'url', content: 'https://cdn.example/banner.png' };
  const shot = { site: { url: 'https://news.example/' }, device: { name: 'desktop' } };
  const body = { campaign: { name: 'Discussed' }, screenshot_requests: [{ ad: { media }, screenshots: [shot] }] };
  const { id } = (await api.post('screenshot_requests', body)).json;
  return { setId: id, shotId: (await api.get(`screenshot_sets/${id}`)).json.screenshots[0].id };
}

const patch = (id: string, resolved: boolean) =>
  api.send({
    method: 'PATCH',
    path: `/api/v1/orgs/acme/comments/${id}`,
    headers: { authorization: api.organization.api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ resolved }),
  });

async function comment(path: string, body: object): Promise<Json> {
  const { status, json } = await api.post(`${path}/comments`, body);
  expect(status).toBe(201);
  return json;
}

test('a thread on a picture has a pin, replies, and a state with who and when', async () => {
  const { setId, shotId } = await newSet();
  const path = `screenshots/${shotId}`;
  const first = await comment(path, { body: ' The logo is cut off. ', pin: { x: 0.25, y: 1 } });
  expect(first).toEqual({
    ...{ type: 'comment', id: expect.any(String), screenshot_set_id: setId, screenshot_id: shotId, reply_to: null },
    ...{ body: 'The logo is cut off.', pin: { x: 0.25, y: 1 }, author: { key: ME(), user: null, client: null } },
    ...{
      created_at: expect.any(String),
      resolved: false,
      resolved_at: null,
      resolved_by: null,
      resolved_by_user: null,
    },
  });
  const reply = await comment(path, { body: 'A new one comes.', reply_to: first.id });
  const ofSet = await comment(`screenshot_sets/${setId}`, { body: 'All sites are there.' });
  expect(await countOpenThreads(api.store.db, [shotId])).toEqual(new Map([[shotId, 1]]));
  const resolved = (await patch(first.id, true)).json;
  expect(resolved).toMatchObject({ resolved: true, resolved_by: ME(), resolved_at: expect.any(String) });
  expect(await countOpenThreads(api.store.db, [shotId])).toEqual(new Map());
  expect((await api.get(`${path}/comments`)).json.data).toEqual([{ ...resolved, replies: [reply] }]);
  expect((await api.get(`screenshot_sets/${setId}/comments`)).json).toMatchObject({
    data: [{ id: ofSet.id, screenshot_id: null, replies: [] }, { id: first.id }],
    total: 2,
  });
  expect((await patch(first.id, false)).json).toMatchObject({ resolved: false, resolved_by: null });
});

test('a comment that cannot be is rejected with the reason', async () => {
  const { setId, shotId } = await newSet();
  const [path, other] = [`screenshots/${shotId}`, await newSet()];
  const first = await comment(path, { body: 'First.' });
  const reply = await comment(path, { body: 'Second.', reply_to: first.id });
  const pin = { x: 0, y: 0 };
  for (const [where, body, expected] of [
    [path, { body: ' ' }, [422, 'body']],
    [path, { body: 'x'.repeat(2_001) }, [422, 'body']],
    [path, { body: 'x', pin: { x: 1.01, y: 0 } }, [422, 'pin.x']],
    [path, { body: 'x', pin, reply_to: first.id }, [422, 'pin']],
    [`screenshot_sets/${setId}`, { body: 'x', pin }, [422, 'pin']],
    [path, { body: 'x', reply_to: reply.id }, [404, 'reply_to']],
    [`screenshots/${other.shotId}`, { body: 'x', reply_to: first.id }, [404, 'reply_to']],
  ] as const) {
    const { status, json } = await api.post(`${where}/comments`, body);
    expect([status, ...Object.keys(json.errors)]).toEqual(expected);
  }
  expect((await patch(reply.id, true)).status).toBe(409);
});

test('a comment without replies is deleted by the key that wrote it', async () => {
  const { shotId } = await newSet();
  const first = await comment(`screenshots/${shotId}`, { body: 'First.' });
  const reply = await comment(`screenshots/${shotId}`, { body: 'Second.', reply_to: first.id });
  const { api_key } = await createKey(api.store.db, 'acme', { name: 'Anna', scopes: ['write'] });
  const path = `/api/v1/orgs/acme/comments/${reply.id}`;
  expect((await api.send({ method: 'DELETE', path, headers: { authorization: api_key } })).status).toBe(403);
  expect((await api.remove(`comments/${first.id}`)).status).toBe(409);
  expect((await api.remove(`comments/${reply.id}`)).status).toBe(204);
  expect((await api.remove(`comments/${first.id}`)).status).toBe(204);
  expect((await patch(first.id, true)).status).toBe(410);
  expect((await api.get(`screenshots/${shotId}/comments`)).json.data).toEqual([]);
});

test('a picture has a limited number of comments of the organization', async () => {
  const { setId, shotId } = await newSet();
  const { id } = await comment(`screenshots/${shotId}`, { body: 'First.' });
  await api.store.pool.query(
    `insert into comments (id, organization_id, set_id, screenshot_id, body, key_id)
     select gen_random_uuid(), organization_id, set_id, screenshot_id, body, key_id
     from comments, generate_series(2, $2) where id = $1`,
    [id, COMMENTS_OF_PICTURE_MAX],
  );
  const refused = await api.post(`screenshots/${shotId}/comments`, { body: 'One more.' });
  expect([refused.status, refused.json.errors]).toEqual([
    409,
    { body: ['cannot be stored: there are 1,000 comments already.'] },
  ]);
  await comment(`screenshot_sets/${setId}`, { body: 'Elsewhere.' });
});
