import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refreshWords } from '../../../../src/core/sets/changes.ts';
import { type Json, type Reply, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const media = { type: 'url', content: 'https://cdn.example/banner.png' };
const screenshots = [{ site: { url: 'https://news.example' }, device: { name: 'desktop' } }];

const patch = (path: string, body: unknown): Promise<Reply> =>
  api.send({
    method: 'PATCH',
    path: `/api/v1/orgs/acme/${path}`,
    headers: { authorization: api.organization.api_key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const newAd = async (ad: object = {}, campaign = 'Changes'): Promise<Json> =>
  (await api.post('ads', { campaign: { name: campaign }, ad: { media, ...ad } })).json;
const newSet = async (more: object = {}, campaign = 'Changes', ad: object = { media }): Promise<Json> =>
  (
    await api.post('screenshot_requests', {
      campaign: { name: campaign },
      screenshot_requests: [{ ad, screenshots }],
      ...more,
    })
  ).json;
const lastEntry = async (): Promise<Json> => (await api.get('audit_log?per_page=1')).json.data[0];
const setsFound = async (words: string) => (await api.get(`screenshot_sets?q=${words}`)).json.total;

async function indexAll(): Promise<void> {
  while ((await refreshWords(api.store.db, 20)) === 20);
}

describe('an ad', () => {
  test('name and metadata change, and what the body does not name stays', async () => {
    const ad = await newAd({ name: 'Before', metadata: { a: '1', b: '2' } });
    const renamed = await patch(`ads/${ad.id}`, { name: 'After' });
    expect([renamed.status, renamed.json.name, renamed.json.metadata]).toEqual([200, 'After', { a: '1', b: '2' }]);
    const changed = await patch(`ads/${ad.id}`, { metadata: { b: null, c: '3', a: 'new' } });
    expect(changed.json).toEqual((await api.get(`ads/${ad.id}`)).json);
    expect([changed.json.name, changed.json.metadata]).toEqual(['After', { a: 'new', c: '3' }]);
    expect((await patch(`ads/${ad.id}`, { metadata: null })).json.metadata).toEqual({});
  });

  test('a change has an entry in the audit log with the keys of metadata and without their values', async () => {
    const ad = await newAd({ name: 'Before', metadata: { secret: 'value' } });
    await patch(`ads/${ad.id}`, { name: 'After', metadata: { secret: 'other', more: 'x' } });
    const { action, object, changes } = await lastEntry();
    expect([action, object.id]).toEqual(['ad.updated', ad.id]);
    expect(changes).toEqual([
      { field: 'name', from: 'Before', to: 'After' },
      { field: 'metadata', from: null, to: 'more, secret' },
    ]);
  });

  test('a change that changes nothing has no entry', async () => {
    const ad = await newAd({ name: 'Same', metadata: { a: '1' } });
    const before = await lastEntry();
    expect((await patch(`ads/${ad.id}`, { name: 'Same', metadata: { a: '1' } })).status).toBe(200);
    expect((await patch(`ads/${ad.id}`, {})).status).toBe(200);
    expect(await lastEntry()).toEqual(before);
  });

  test.each([
    ['a blank name', { name: ' ' }, 'name'],
    ['a long name', { name: 'x'.repeat(256) }, 'name'],
    ['a number as metadata', { metadata: { a: 1 } }, 'metadata'],
    ['a list as metadata', { metadata: [] }, 'metadata'],
    ['a long value', { metadata: { a: 'x'.repeat(501) } }, 'metadata.a'],
  ])('%s is rejected', async (_name, body, path) => {
    const ad = await newAd();
    const { status, json } = await patch(`ads/${ad.id}`, body);
    expect([status, Object.keys(json.errors)]).toEqual([422, [path]]);
  });

  test('the limit of pairs counts the stored ones too', async () => {
    const fifty = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, 'v']));
    const ad = await newAd({ metadata: fifty });
    const { status, json } = await patch(`ads/${ad.id}`, { metadata: { more: 'v' } });
    expect([status, json.errors.metadata]).toEqual([422, ['must have at most 50 pairs, but has 51.']]);
    expect((await patch(`ads/${ad.id}`, { metadata: { more: 'v', k0: null } })).status).toBe(200);
  });

  test('a key with a meaning in JavaScript is set and removed like any other', async () => {
    const ad = await newAd({ metadata: { kept: 'x' } });
    const send = (text: string) =>
      api.send({
        method: 'PATCH',
        path: `/api/v1/orgs/acme/ads/${ad.id}`,
        headers: { authorization: api.organization.api_key, 'content-type': 'application/json' },
        body: `{"metadata":${text}}`,
      });
    expect((await send('{"__proto__":"a"}')).text).toContain('"__proto__":"a"');
    expect((await send('{"__proto__":null}')).json.metadata).toEqual({ kept: 'x' });
  });

  test('an ad of another organization, or an unknown one, is not found', async () => {
    for (const path of ['ads', 'screenshot_sets', 'campaigns'])
      expect((await patch(`${path}/00000000-0000-4000-8000-000000000000`, { name: 'x' })).status).toBe(404);
  });
});

describe('a set', () => {
  test('instructions and metadata change', async () => {
    const { id } = await newSet({ instructions: 'Old', metadata: { a: '1' } });
    const { status, json } = await patch(`screenshot_sets/${id}`, { instructions: 'New', metadata: { b: '2' } });
    expect([status, json.instructions, json.metadata]).toEqual([200, 'New', { a: '1', b: '2' }]);
    expect(json).toEqual((await api.get(`screenshot_sets/${id}`)).json);
    expect((await lastEntry()).action).toBe('screenshot_set.updated');
    expect((await patch(`screenshot_sets/${id}`, { instructions: null })).json.instructions).toBeNull();
  });
});

describe('a campaign', () => {
  test('it gets another name, and later requests with the old name make a new campaign', async () => {
    const { campaign_id } = await newAd({}, 'Old name');
    const { status, json } = await patch(`campaigns/${campaign_id}`, { name: '  New name ' });
    expect([status, json.id, json.name]).toEqual([200, campaign_id, 'New name']);
    expect((await newAd({}, 'New name')).campaign_id).toBe(campaign_id);
    expect((await newAd({}, 'Old name')).campaign_id).not.toBe(campaign_id);
    expect((await api.get('campaigns?q=new+name')).json.total).toBe(1);
  });

  test('a name that another campaign has is rejected', async () => {
    const { campaign_id } = await newAd({}, 'First');
    await newAd({}, 'Second');
    const { status, json } = await patch(`campaigns/${campaign_id}`, { name: 'Second' });
    expect([status, json.errors]).toEqual([409, { name: ['is the name of another campaign.'] }]);
    expect((await patch(`campaigns/${campaign_id}`, { name: 'First' })).status).toBe(200);
  });

  test('the campaign of the page of a new request keeps its name', async () => {
    const drafts = await newAd({}, 'Drafts');
    const other = await newAd({}, 'Other');
    expect((await patch(`campaigns/${drafts.campaign_id}`, { name: 'Mine' })).status).toBe(409);
    expect((await patch(`campaigns/${other.campaign_id}`, { name: 'Drafts' })).status).toBe(409);
  });
});

describe('the search of sets', () => {
  test('it finds sets by the new name of their campaign and no longer by the old one', async () => {
    const sets = await Promise.all(Array.from({ length: 45 }, () => newSet({}, 'Quokka')));
    expect(await setsFound('quokka')).toBe(45);
    await patch(`campaigns/${sets[0].campaign_id}`, { name: 'Wombat' });
    await indexAll();
    expect([await setsFound('quokka'), await setsFound('wombat')]).toEqual([0, 45]);
  });

  test('it finds sets by the new name of an ad', async () => {
    const ad = await newAd({ name: 'Numbat' });
    await newSet({}, 'Changes', { id: ad.id });
    await patch(`ads/${ad.id}`, { name: 'Bilby' });
    await indexAll();
    expect([await setsFound('numbat'), await setsFound('bilby')]).toEqual([0, 1]);
  });

  test('a second new name that comes during the update is not lost', async () => {
    const sets = await Promise.all(Array.from({ length: 25 }, () => newSet({}, 'Ibis')));
    const rename = (name: string) => patch(`campaigns/${sets[0].campaign_id}`, { name });
    await rename('Heron');
    await Promise.all([indexAll(), rename('Egret')]);
    await indexAll();
    expect([await setsFound('ibis'), await setsFound('heron'), await setsFound('egret')]).toEqual([0, 0, 25]);
  });
});
