/** Unknown fields and query parameters: warnings in the answer, or a rejection if the client wants it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Json, startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { OPERATIONS } from './sampleIds.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const STRICT = { prefer: 'handling=strict' };
const media = { type: 'url', content: 'https://cdn.example/banner.png' };
const newAd = (extra: object = {}) => ({ campaign: { name: 'Warnings' }, ad: { media, ...extra } });
const paths = (json: Json) => json.request_warnings?.map(({ path }: Json) => path);
const getStrictly = (path: string, prefer: string | string[] = 'handling=strict') => {
  const authorization = `Bearer ${api.organization.api_key}`;
  return api.send({ path: `/api/v1/orgs/acme/${path}`, headers: { authorization, prefer } });
};

test('an unknown field is ignored and named in the answer with its path and what to do', async () => {
  const { status, json, headers } = await api.post('ads', { ...newAd({ lookupkey: 'k' }), notify: true });
  expect(status).toBe(201);
  expect(paths(json)).toEqual(['notify', 'ad.lookupkey']);
  expect(json.request_warnings[1].message).toBe(
    'is not a field of this object, so the service ignored it. Remove it, or use a field that exists: lookup_key, name, media, size, metadata.',
  );
  expect(headers['preference-applied']).toBeUndefined();
  expect((await api.get(`ads/${json.id}`)).json.lookup_key).toBeNull();
});

test('without unknown parts an answer has no warnings, also with strict handling', async () => {
  for (const headers of [{}, STRICT] as Record<string, string>[]) {
    const { status, json } = await api.post('ads', newAd({ name: 'Known' }), headers);
    expect([status, Object.hasOwn(json, 'request_warnings')]).toEqual([201, false]);
  }
  expect(Object.keys((await api.get('ads?per_page=1')).json)).toEqual(['data', 'page', 'per_page', 'total']);
});

test('strict handling rejects unknown fields before anything is stored, and says that it was applied', async () => {
  const before = await api.count('ads');
  const { status, json, headers } = await api.post('ads', newAd({ nmae: 'Typo' }), STRICT);
  expect([status, json.status, json.code]).toEqual([422, 'failure', 'invalid']);
  expect(json.errors).toEqual({
    'ad.nmae': [
      'is not a field of this object. Remove it, or use a field that exists: lookup_key, name, media, size, metadata.',
    ],
  });
  expect(headers['preference-applied']).toBe('handling=strict');
  expect(await api.count('ads')).toBe(before);
});

test('a screenshot request names unknown fields inside its entries', async () => {
  const shot = { site: { url: 'news.example' }, device: { name: 'desktop' }, options: { full_page: true } };
  const body = { campaign: { name: 'Warnings' }, screenshot_requests: [{ ad: { media }, screenshots: [shot] }] };
  const { status, json } = await api.post('screenshot_requests', body);
  const path = 'screenshot_requests.0.screenshots.0.options.full_page';
  expect([status, paths(json)]).toEqual([202, [path]]);
  const strict = await api.post('screenshot_requests', body, STRICT);
  expect([strict.status, Object.keys(strict.json.errors)]).toEqual([422, [path]]);
});

test('an unknown query parameter is named in the answer of a list, or rejected', async () => {
  const { status, json } = await api.get('campaigns?form=2026-01-01&per_page=1');
  expect([status, paths(json)]).toEqual([200, ['form']]);
  for (const prefer of ['handling=strict', 'respond-async, Handling="Strict"; x=1', ['wait=1', 'handling=strict']]) {
    const reply = await getStrictly('campaigns?form=2026-01-01', prefer);
    expect([reply.status, Object.keys(reply.json.errors)], String(prefer)).toEqual([422, ['form']]);
    expect(reply.headers['preference-applied']).toBe('handling=strict');
  }
  for (const prefer of ['handling=lenient', 'respond-async', 'handling=stricter'])
    expect((await getStrictly('campaigns?form=1', prefer)).status, prefer).toBe(200);
});

test('a repeated request with an idempotency key gets the same answer with its warnings', async () => {
  const key = { 'idempotency-key': 'warned' };
  const first = await api.post('ads', newAd({ colour: 'red' }), key);
  const second = await api.post('ads', newAd({ colour: 'red' }), key);
  expect(paths(first.json)).toEqual(['ad.colour']);
  expect([second.json, second.headers['idempotency-replayed']]).toEqual([first.json, 'true']);
});

test.each(OPERATIONS.filter(({ method }) => method === 'GET'))(
  'GET $path rejects an unknown query parameter with strict handling',
  async ({ path }) => {
    const place = path.replace('/api/v1/orgs/{organization_slug}/', '').replace(/\{\w+\}/g, 'any');
    const { status, json } = await getStrictly(`${place}?unknown=1`);
    expect([status, Object.keys(json.errors)]).toEqual([422, ['unknown']]);
  },
);
