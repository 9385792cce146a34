import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordAdEvent, recordSetEvent } from '../../../../src/core/events/recordEvent.ts';
import { type Json, PUBLIC_URL, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const media = { type: 'url', content: 'https://cdn.example/banner.png' };
const screenshots = [{ site: { url: 'https://news.example' }, device: { name: 'desktop' } }];
const subscribers = [{ webhook: { url: 'https://you.example/hook' } }];
const campaign = { name: 'Metadata' };

const createAd = (ad: object) => api.post('ads', { campaign, ad: { media, ...ad }, subscribers });
const request = (ad: object, more: object = {}) =>
  api.post('screenshot_requests', { campaign, screenshot_requests: [{ ad, screenshots }], subscribers, ...more });

/** Stores the event of the object as the service does. @returns `data.object`. */
async function objectOfEvent(about: { adId: string } | { setId: string }): Promise<Json> {
  const { db } = api.store;
  const { id: organizationId } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
  const context = { publicUrl: PUBLIC_URL, queue: { enqueue: async () => undefined } };
  await db.transaction().execute(async (tx) => {
    if ('adId' in about) await recordAdEvent(tx, { ...about, organizationId, topic: 'ad.uploaded' }, context);
    else await recordSetEvent(tx, { ...about, organizationId, topic: 'screenshot_set.approved' }, context);
  });
  const { body } = await db
    .selectFrom('events')
    .innerJoin('deliveries', 'deliveries.event_id', 'events.id')
    .select('body')
    .where('adId' in about ? 'deliveries.ad_id' : 'deliveries.set_id', '=', 'adId' in about ? about.adId : about.setId)
    .executeTakeFirstOrThrow();
  return JSON.parse(body).data.object;
}

describe('metadata of an ad', () => {
  const metadata = { order: '4711', 'line item': 'Ö/2 “top”' };

  test('the metadata of an ad comes back in every answer, list and event', async () => {
    const made = await createAd({ metadata });
    expect([made.status, made.json.metadata]).toEqual([201, metadata]);
    const { id } = made.json;
    const listed = (await api.get(`ads?q=${id}`)).json.data;
    expect([listed.length, listed[0].metadata]).toEqual([1, metadata]);
    expect((await api.get(`ads/${id}`)).json.metadata).toEqual(metadata);
    const set = (await request({ id })).json;
    expect((await api.get(`screenshot_sets/${set.id}`)).json.screenshots[0].ad.metadata).toEqual(metadata);
    expect((await objectOfEvent({ adId: id })).metadata).toEqual(metadata);
  });

  test('the metadata for an ad that exists is ignored, whatever it holds', async () => {
    const lookup_key = randomUUID();
    await createAd({ lookup_key, metadata });
    const again = await createAd({ lookup_key, metadata: { order: 7 } });
    expect([again.status, again.json.metadata]).toEqual([200, metadata]);
  });

  test('an ad without metadata, or with null, has none', async () => {
    expect((await createAd({})).json.metadata).toEqual({});
    expect((await createAd({ metadata: null })).json.metadata).toEqual({});
  });

  test('a screenshot request stores the metadata of its new ads', async () => {
    const set = (await request({ media, metadata })).json;
    const { ad } = (await api.get(`screenshot_sets/${set.id}`)).json.screenshots[0];
    expect([ad.metadata, (await api.get(`ads/${ad.id}`)).json.metadata]).toEqual([metadata, metadata]);
  });
});

describe('metadata of a set', () => {
  const metadata = { client: 'Okapi', brief: '' };

  test('the metadata of a set comes back in every answer, list and event, and not in its ads', async () => {
    const made = await request({ media }, { metadata });
    expect([made.status, made.json.metadata]).toEqual([202, metadata]);
    const { id } = made.json;
    const read = (await api.get(`screenshot_sets/${id}`)).json;
    expect([read.metadata, read.screenshots[0].ad.metadata]).toEqual([metadata, {}]);
    expect((await api.get(`screenshot_sets?q=${id}`)).json.data[0].metadata).toEqual(metadata);
    expect((await objectOfEvent({ setId: id })).metadata).toEqual(metadata);
  });

  test('retakes and duplicates have the metadata of the old set, unless the body gives other metadata', async () => {
    const { id } = (await request({ media }, { metadata })).json;
    await api.store.db.updateTable('screenshot_sets').set({ status: 'approved' }).where('id', '=', id).execute();
    expect((await api.post(`screenshot_sets/${id}/duplicate`, {})).json.metadata).toEqual(metadata);
    const other = await api.post(`screenshot_sets/${id}/retake`, { metadata: { round: '2' } });
    expect(other.json.metadata).toEqual({ round: '2' });
  });
});

describe('keys and limits', () => {
  test('keys with a meaning in JavaScript are ordinary keys', async () => {
    const text = '{"__proto__":"a","constructor":"b","toString":"c","hasOwnProperty":"d"}';
    const body = JSON.stringify({ campaign, ad: { media, metadata: 'HERE' } }).replace('"HERE"', text);
    const made = await api.post('ads', body);
    expect([made.status, JSON.stringify(made.json.metadata)]).toEqual([201, text]);
    const { text: read } = await api.get(`ads/${made.json.id}`);
    for (const pair of text.slice(1, -1).split(',')) expect(read).toContain(pair);
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
  });

  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key ${i}`, 'v']));
  const full = { ['k'.repeat(40)]: 'x'.repeat(500), ['😀'.repeat(40)]: '😀'.repeat(500) };

  test.each([
    ['fifty pairs', pairs(50)],
    ['the longest key and value', full],
    ['an empty value', { key: '' }],
    ['an empty object', {}],
  ])('%s are accepted', async (_name, metadata) => {
    expect((await createAd({ metadata })).json.metadata).toEqual(metadata);
  });

  const wide = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}`, 'x'.repeat(500)]));
  test.each([
    ['a text', 'x', 'metadata', 'must be an object, but is a string.'],
    ['a list', [], 'metadata', 'must be an object, but is an array.'],
    ['51 pairs', pairs(51), 'metadata', 'must have at most 50 pairs, but has 51.'],
    ['a number', { order: 7 }, 'metadata.order', 'must be a string.'],
    ['null as a value', { order: null }, 'metadata.order', 'must be a string.'],
    ['an object as a value', { a: { b: 'c' } }, 'metadata.a', 'must be a string.'],
    ['a long value', { a: 'x'.repeat(501) }, 'metadata.a', 'must be at most 500 characters, but has 501.'],
    ['U+0000 in a value', { a: '\0' }, 'metadata.a', 'must not contain the character U+0000.'],
    ['an empty key', { '': 'x' }, 'metadata', 'has a key that is not a text of 1 to 40 characters.'],
    ['a long key', { ['k'.repeat(41)]: 'x' }, 'metadata', 'has a key that is not a text of 1 to 40 characters.'],
    ['U+0000 in a key', { 'a\0': 'x' }, 'metadata', 'has a key that is not a text of 1 to 40 characters.'],
    ['half a character in a key', { '\ud800': 'x' }, 'metadata', 'has a key that is not a text of 1 to 40 characters.'],
    ['too many bytes', wide, 'metadata', 'must be at most 4,096 bytes of JSON in all, but has 4,564.'],
  ])('%s is rejected, and nothing is stored', async (_name, metadata, path, message) => {
    const before = await api.count('ads');
    const ad = await createAd({ metadata });
    expect([ad.status, ad.json.errors]).toEqual([422, { [path]: [message] }]);
    const set = await request({ media, metadata }, { metadata });
    expect([set.status, set.json.errors]).toEqual([
      422,
      { [path]: [message], [`screenshot_requests.0.ad.${path}`]: [message] },
    ]);
    expect(await api.count('ads')).toBe(before);
  });

  test('a misspelled field inside metadata is no unknown field', async () => {
    const { json } = await createAd({ metadata: { mediaa: 'x' } });
    expect(json.request_warnings).toBeUndefined();
  });
});
