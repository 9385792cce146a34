/** Placements over HTTP: what a request becomes, and how a result is read and removed. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OLD_ROWS } from '../../../../src/core/removal/oldRows.ts';
import { insertImages } from '../../../../src/core/sets/images.ts';
import { memoryArtifacts, PUBLIC_URL, startPublicApi, type TestApi } from '../../../support/publicApi.ts';

const files = new Map<string, Buffer>();
let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi({ artifacts: memoryArtifacts(files) });
});
afterAll(() => api.close());

const PAGE = { site: { url: 'news.example' }, device: { name: 'iphone' } };
const RECTANGLE = { width: 300, height: 250 };
const SIZES = { ...PAGE, sizes: [RECTANGLE, { width: 728, height: 90 }, RECTANGLE] };
const NO_SLOTS = { chosen: null, candidates: [], candidates_found: 0 };

async function createAd(campaign: string, ad: object): Promise<string> {
  const media = { type: 'html_tag', content: '<b>ad</b>' };
  return (await api.post('ads', { campaign: { name: campaign }, ad: { media, ...ad } })).json.id;
}

test('a placement is pending with its distinct sizes, waits for a job, and counts as one screenshot', async () => {
  const before = await api.count('queued');
  const { status, json } = await api.post('placements', { ...SIZES, image_ratio: 2 });
  expect(status).toBe(202);
  expect(json).toMatchObject({
    ...{ type: 'placement', status: 'pending', site: { url: 'news.example' } },
    device: { name: 'iphone' },
    ...{ image_url: null, page: null, final_url: null, captured_at: null },
    sizes: [
      { ...RECTANGLE, ...NO_SLOTS },
      { width: 728, height: 90, ...NO_SLOTS },
    ],
  });
  const read = await api.get(`placements/${json.id}`);
  expect([read.status, read.json, read.headers['retry-after']]).toEqual([200, json, '2']);
  expect((await api.count('queued')) - before).toBe(1);
  const ratios = await api.store.db.selectFrom('placements').select('image_ratio').execute();
  expect(ratios).toEqual([{ image_ratio: 2 }]);
  expect(await api.store.db.selectFrom('usage_days').select('pictures').execute()).toEqual([{ pictures: 1 }]);
});

test('a repeated request with the same Idempotency-Key makes one placement', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const first = await api.post('placements', SIZES, headers);
  const second = await api.post('placements', SIZES, headers);
  expect([second.status, second.json.id, second.headers['idempotency-replayed']]).toEqual([202, first.json.id, 'true']);
});

test('the size of an ad is the given one, or the one that was captured', async () => {
  const sized = await createAd('Spring', { lookup_key: 'sized', size: { width: 160, height: 600 } });
  const captured = await createAd('Spring', { lookup_key: 'captured' });
  const known = { width: 970, height: 250 };
  await api.store.db.updateTable('ads').set(known).where('id', '=', captured).execute();
  const sizesOf = async (ad: object) =>
    (await api.post('placements', { ...PAGE, ad })).json.sizes.map(({ width }: { width: number }) => width);
  expect(await sizesOf({ id: sized })).toEqual([160]);
  expect(await sizesOf({ id: captured })).toEqual([970]);
});

test('a request without exactly one of sizes and ad, or with an ad that names no size, gets 422 with the reason', async () => {
  const unknown = await createAd('Spring', { lookup_key: 'unsized' });
  const faults = async (body: object) => (await api.post('placements', { ...PAGE, ...body })).json.errors;
  const one = ['or ad is required, but not both.'];
  expect(await faults({})).toEqual({ sizes: one });
  expect(await faults({ sizes: [RECTANGLE], ad: { id: unknown } })).toEqual({ sizes: one });
  expect(await faults({ sizes: Array(21).fill(RECTANGLE) })).toEqual({ sizes: ['must have at most 20 sizes.'] });
  expect(await faults({ ad: { id: '7' } })).toEqual({ 'ad.id': [expect.stringContaining('UUID')] });
  expect(await faults({ ad: { id: randomUUID() } })).toEqual({ 'ad.id': [expect.stringContaining('is not the id')] });
  expect(await faults({ ad: { id: unknown } })).toEqual({ 'ad.id': [expect.stringContaining('give sizes')] });
});

test('an uploaded placement has the address of its picture, and its removal removes both', async () => {
  const { db } = api.store;
  const { id } = (await api.post('placements', SIZES)).json;
  const { organization_id: organizationId } = await db
    .selectFrom('placements')
    .select('organization_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  files.set('screenshots/p.png', Buffer.from('png'));
  const picture = { key: 'screenshots/p.png', sha256: 'a'.repeat(64), bytes: 3, width: 390, height: 900 };
  const [token = ''] = await insertImages(db, [{ organizationId, ...picture }]);
  const record = { final_url: 'https://news.example/', page: { width: 390, height: 20_000 }, sizes: [] };
  const result = { status: 'uploaded', image_token: token, record: JSON.stringify(record) } as const;
  await db.updateTable('placements').set(result).where('id', '=', id).execute();
  const path = `/i/${token}.png`;
  expect((await api.get(`placements/${id}`)).json).toMatchObject({
    ...{ status: 'uploaded', image_url: `${PUBLIC_URL}${path}`, ...record },
  });
  expect((await api.send({ path })).status).toBe(200);
  await db
    .updateTable('placements')
    .set({ expires_at: new Date(0) })
    .where('id', '=', id)
    .execute();
  expect(await OLD_ROWS.placement(db, 10)).toBe(1);
  expect([(await api.get(`placements/${id}`)).status, (await api.send({ path })).status]).toEqual([410, 410]);
});

test('an organization that keeps its sets for two days keeps its placements as long', async () => {
  const days = async () => {
    const { created_at, expires_at } = (await api.post('placements', SIZES)).json;
    return (Date.parse(expires_at) - Date.parse(created_at)) / 86_400_000;
  };
  expect(await days()).toBe(7);
  await api.store.db.updateTable('organizations').set({ set_retention_days: 2 }).execute();
  expect(await days()).toBe(2);
});
