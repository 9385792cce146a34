import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOrganization } from '../../../../src/core/organizations/organizations.ts';
import { TEMPLATES_MAX } from '../../../../src/domain/savedObjects.ts';
import { startPublicApi, type TestApi } from '../../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

const NEWS = {
  name: ' News sites ',
  sites: [{ url: ' news.example ' }, { url: 'https://blog.example/' }],
  devices: [{ name: 'desktop' }],
  options: { ad: { allow_scaling: true, frames: [{ marker: 2.5 }] }, page: { other_ads: 'keep' } },
};
const save = (body: unknown, headers = {}) => api.post('templates', body, headers);

describe('a request template', () => {
  test('a template is saved with its sites, devices and options, and listed by name', async () => {
    const { status, json } = await save(NEWS);
    expect([status, json]).toEqual([
      201,
      {
        type: 'template',
        id: expect.any(String),
        name: 'News sites',
        sites: [{ url: 'news.example' }, { url: 'https://blog.example/' }],
        devices: NEWS.devices,
        options: NEWS.options,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    await save({ name: 'blogs', sites: [{ url: 'blog.example' }] });
    const list = await api.get('templates?per_page=1');
    expect(list.json).toMatchObject({ data: [{ name: 'blogs', devices: [], options: {} }], total: 2 });
  });

  test('a site list that is too large is refused', async () => {
    const sites = Array.from({ length: 40 }, (_, index) => ({ url: `s${index}.example/${'x'.repeat(8_000)}` }));
    const { status, json } = await api.post('site_lists', { name: 'Long', sites });
    expect([status, json.errors]).toEqual([422, { sites: [expect.stringContaining('are too large together')] }]);
  });

  test('a template holds all parts of a request, and names only ads and site lists of the organization', async () => {
    const list = await api.post('site_lists', { name: 'Travel', sites: [{ url: ' travel.example ' }] });
    expect([list.status, list.json]).toMatchObject([201, { type: 'site_list', sites: [{ url: 'travel.example' }] }]);
    const media = { type: 'url', content: 'https://ads.example/a.png' };
    const ad = await api.post('ads', { campaign: { name: 'Spring' }, ad: { media } });
    const own = { width: 412, height: 915, ratio: 2.63, touch: true };
    const parts = { campaign: { name: 'Spring' }, instructions: 'Check the logo', ads: [{ id: ad.json.id }] };
    const saved = await save({ name: 'Whole', ...parts, site_list: { id: list.json.id }, devices: [own] });
    expect([saved.status, saved.json]).toMatchObject([201, { ...parts, site_list: { id: list.json.id } }]);
    expect(saved.json.devices).toEqual([{ name: 'Own device 412 x 915, 2.63x, touch', ...own }]);
    const unknown = { id: saved.json.id };
    expect((await save({ name: 'Wrong', ads: [unknown], site_list: unknown })).json.errors).toEqual({
      'ads.0.id': ['is not the id of an ad of this organization.'],
      'site_list.id': ['is not the id of a site list of this organization.'],
    });
  });

  test('a template of the same name is replaced with 200', async () => {
    const first = await save({ name: 'Twice', devices: [{ name: 'ipad' }] });
    const second = await save({ name: 'Twice ', devices: [{ name: 'tablet' }] });
    expect([second.status, second.json.id, second.json.devices]).toEqual([200, first.json.id, [{ name: 'tablet' }]]);
  });

  test('one response lists all faults of a template', async () => {
    const sites = [{ url: 'ftp://files.example' }, {}];
    const { status, json } = await save({ name: ' ', sites, devices: [{ name: 'fridge' }], options: { slot: {} } });
    expect([status, Object.keys(json.errors)]).toEqual([
      422,
      ['name', 'sites.0.url', 'sites.1.url', 'devices.0.name', 'options.slot'],
    ]);
    expect((await save({ name: 'Empty' })).json.errors).toEqual({
      sites: ['is required, unless there is something else, such as devices.'],
    });
  });

  test('a deleted template is gone, and another organization does not see it', async () => {
    const { json } = await save({ name: 'Mine', devices: [{ name: 'ipad' }] });
    const other = await createOrganization(api.store.db, { slug: 'other' });
    const headers = { authorization: other.api_key };
    expect((await api.send({ path: '/api/v1/orgs/other/templates', headers })).json.total).toBe(0);
    expect((await api.remove(`templates/${json.id}`)).status).toBe(204);
    expect((await api.remove(`templates/${json.id}`)).status).toBe(204);
  });

  test('an organization with the most templates may replace one but not add one', async () => {
    const { count } = await api.store.db
      .selectFrom('request_templates')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('name', '!=', '')
      .executeTakeFirstOrThrow();
    for (let i = Number(count); i < TEMPLATES_MAX - 10; i += 1) {
      await save({ name: `Template ${i}`, devices: [{ name: 'ipad' }] });
    }
    const atOnce = Array.from({ length: 30 }, (_, i) => save({ ...NEWS, name: `At once ${i}` }));
    const statuses = (await Promise.all(atOnce)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(10);
    expect(statuses.filter((status) => status === 409)).toHaveLength(20);
    expect((await save(NEWS)).status).toBe(200);
    expect((await api.get('templates')).json.total).toBe(TEMPLATES_MAX);
  });
});
