/** The pictures of a share link: which versions it shows, in which order, and how little a page reads of a large set. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readExportFailures, readExportPictures } from '../../../../src/core/exports/exportContent.ts';
import {
  countShared,
  readSharedPage,
  readSharedPlace,
  readSharedSummary,
} from '../../../../src/core/sharing/sharedPictures.ts';
import type { DeviceName } from '../../../../src/domain/devices.ts';
import type { SharedPictures } from '../../../../src/domain/shareLinks.ts';
import type { ScreenshotStatus, SetStatus } from '../../../../src/domain/states.ts';
import { inPageOrder } from '../../../../src/pages/pictures/grouping.ts';
import { testDatabase } from '../../../support/database.ts';
import { rowCounter } from '../../../support/rowCounter.ts';
import { fillDatabase, storedId } from '../../../support/storedSets.ts';

const organizationId = '00000000-0000-4000-8000-000000000001';
const PICTURES = 1_000;
const database = await testDatabase();
const pool = new pg.Pool({ connectionString: database.url });
const { db, mostRowsSent } = rowCounter(pool);

beforeAll(async () => {
  await pool.query(`insert into organizations (id, slug, webhook_secret) values ('${organizationId}', 'large', 's')`);
  await fillDatabase(pool, organizationId, { sets: 1, screenshotsPerSet: PICTURES, setsPerCampaign: 1 });
});
afterAll(async () => {
  await pool.end();
  await database.close();
});

const [large, campaignId, adId] = [storedId('s', 0), storedId('c', 0), storedId('a', 0)];
const link = (setId: string, pictures: SharedPictures = 'all') => ({
  ...{ id: randomUUID(), set_id: setId, campaign_id: null, pictures, screenshot_ids: null },
});

interface Shot {
  readonly set?: SetStatus;
  readonly status?: ScreenshotStatus;
  readonly decision?: 'approved' | 'rejected' | null;
  readonly site?: string;
  readonly device?: DeviceName;
  readonly markerMs?: number | null;
  readonly group?: string;
  /** The screenshot and the set that it takes again. */
  readonly of?: { readonly setId: string; readonly ids: readonly string[] };
}

/** Stores a set. @returns its id and those of its screenshots. */
async function insertSet(shots: readonly Shot[], inCampaign = campaignId): Promise<{ setId: string; ids: string[] }> {
  const setId = randomUUID();
  const [first] = shots;
  const retaken = { retake_of: first?.of?.setId ?? null, original_id: first?.of?.setId ?? null };
  const set = { id: setId, organization_id: organizationId, campaign_id: inCampaign, settled_at: new Date() };
  await db
    .insertInto('screenshot_sets')
    .values({ ...set, ...retaken, status: first?.set ?? 'approved', created_at: new Date() })
    .execute();
  const ids: string[] = [];
  for (const [seq, shot] of shots.entries()) {
    const { status = 'uploaded', decision = null, site = 'https://news.example/', device = 'desktop' } = shot;
    const [id, token] = [randomUUID(), randomUUID()];
    ids.push(id);
    const picture = { artifact_key: token, width: 10, height: 20, bytes: 1, sha256: 'a'.repeat(64) };
    await db
      .insertInto('images')
      .values({ token, organization_id: organizationId, ...picture })
      .execute();
    const original = shot.of?.ids[seq] ?? null;
    await db
      .insertInto('screenshots')
      .values({
        ...{ id, set_id: setId, seq, ad_id: adId, site_url: site, site_key: site, device, status, decision },
        options: shot.group === undefined ? null : JSON.stringify({ group: shot.group }),
        ...{ marker_ms: shot.markerMs ?? null, image_token: status === 'uploaded' ? token : null },
        ...{ captured_at: new Date(), retake_of: original, original_id: original },
      })
      .execute();
  }
  return { setId, ids };
}

const shownIds = async (setId: string, pictures: SharedPictures = 'all') =>
  (await readSharedPage(db, link(setId, pictures), { skip: 0, take: 100 })).map(({ id }) => id);

test.each([
  ['an undecided picture of a set in review', { set: 'in_review' }, true, false],
  ['an approved picture of a set in review', { set: 'in_review', decision: 'approved' }, true, true],
  ['an undecided picture of an approved set', {}, true, true],
  ['a rejected picture', { decision: 'rejected' }, false, false],
  ['an approved picture of a rejected set', { set: 'rejected', decision: 'approved' }, false, false],
  ['a screenshot without a picture', { status: 'no_slots' }, false, false],
] as const)(
  'a link to all pictures, and one to approved ones, may show %s',
  async (_what, given, inAll, inApproved) => {
    const { setId, ids } = await insertSet([given]);
    expect([await shownIds(setId), await shownIds(setId, 'approved')]).toEqual([
      inAll ? ids : [],
      inApproved ? ids : [],
    ]);
  },
);

test.each([
  ['of an approved set', {}, true],
  ['that a reviewer approved', { set: 'in_review', decision: 'approved' }, true],
  ['without a decision', { set: 'in_review' }, false],
  ['of a rejected set', { set: 'rejected' }, false],
  ['that a reviewer rejected', { decision: 'rejected' }, false],
  ['without a picture', { status: 'no_slots' }, false],
] as const)('a retake %s replaces the picture: %o, %s', async (_what, given, replaces) => {
  const own = await insertSet([{}]);
  const retake = await insertSet([{ ...given, of: own }]);
  expect(await shownIds(own.setId)).toEqual(replaces ? retake.ids : own.ids);
});

test('a link shows no retake of a picture in a rejected set', async () => {
  const own = await insertSet([{ set: 'rejected' }]);
  await insertSet([{ decision: 'approved', of: own }]);
  expect(await shownIds(own.setId)).toEqual([]);
});

test('the pictures of a link have the order of the results pages', async () => {
  const shots = [
    { site: 'https://b.example/', markerMs: 2_000 },
    { site: 'https://a.example/', device: 'iphone' as const },
    { site: 'https://b.example/', device: 'iphone' as const },
    { site: 'https://b.example/' },
    { site: 'https://a.example/' },
  ];
  const { setId } = await insertSet(shots);
  const rows = await readSharedPage(db, link(setId), { skip: 0, take: 100 });
  const inRequestOrder = shots.map(({ site, device = 'desktop', markerMs = null }: Shot) => ({
    ...{ site_url: site ?? '', device, marker_ms: markerMs, ad: { id: adId, name: '' } },
  }));
  const placesOf = (list: readonly Pick<(typeof rows)[number], 'site_url' | 'device' | 'marker_ms'>[]) =>
    list.map(({ site_url, device, marker_ms }) => [site_url, device, marker_ms]);
  expect(placesOf(rows)).toEqual(placesOf(inPageOrder(inRequestOrder, 'site')));
  const middle = rows[2];
  const place = await readSharedPlace(db, link(setId), { picture: middle?.image_token ?? '' });
  expect([place?.view, place?.total, place?.previous?.id, place?.next?.id]).toEqual([
    middle,
    5,
    rows[1]?.id,
    rows[3]?.id,
  ]);
});

test('the head of a large link counts its pictures, sites, devices and sizes', async () => {
  const [{ pictures }] = (
    await pool.query(
      `select count(*)::int as pictures from screenshots where set_id = '${large}' and status = 'uploaded'`,
    )
  ).rows;
  expect(await readSharedSummary(db, link(large))).toMatchObject({
    ...{ pictures, sites: pictures, devices: ['mobile', 'desktop'], sizes: [[300, 250]] },
  });
});

test.each<[string, number, () => Promise<unknown>]>([
  ['a page of 240 pictures', 240, () => readSharedPage(db, link(large), { skip: 480, take: 240 })],
  ['the head of the page', 1, () => readSharedSummary(db, link(large))],
  ['the number of approved pictures', 1, () => countShared(db, { setId: large })],
  ['one picture', 70, () => readSharedPlace(db, link(large), { picture: 'picture-0-500' })],
])('a link of 1,000 pictures sends for %s at most %i rows to the service', async (_what, most, run) => {
  expect(await mostRowsSent(run)).toBeLessThanOrEqual(most);
});

test('a link and an export show the picture of a group once, with all its ads, and list those that are not in it', async () => {
  const of = { group: 'Takeover' };
  const shots: Shot[] = [of, {}, of, { ...of, status: 'no_slots' }, { ...of, site: 'https://blog.example/' }];
  const { setId, ids } = await insertSet(shots);
  const { name } = await db.selectFrom('ads').select('name').where('id', '=', adId).executeTakeFirstOrThrow();
  const names = [`${name} + ${name}`, name, name];
  const shown = await readSharedPage(db, link(setId), { skip: 0, take: 100 });
  expect(shown.map(({ id, ad }) => [id, ad.name])).toEqual([0, 1, 4].map((at, place) => [ids[at], names[place]]));
  expect(await readSharedSummary(db, link(setId))).toMatchObject({ pictures: 3, unanswered: 3 });
  const given = { setId, options: { audience: 'organization' as const } };
  const exported = await readExportPictures(db, given, { skip: 0 });
  expect(exported.map(({ id, other_ids, ad_name }) => [id, other_ids, ad_name])).toEqual([
    [ids[0], [ids[2]], names[0]],
    [ids[1], [], name],
    [ids[4], [], name],
  ]);
  expect(await readExportFailures(db, given, 10)).toMatchObject([{ status: 'no_slots' }]);
});

test('a link and an export of a campaign show the pictures of each set in their versions, the oldest set first', async () => {
  const id = randomUUID();
  await db.insertInto('campaigns').values({ id, organization_id: organizationId, name: 'Daily' }).execute();
  const [blog, news] = [{ site: 'https://blog.example/' }, { site: 'https://news.example/' }];
  const first = await insertSet([blog, news, { ...blog, device: 'iphone' }], id);
  const rejected = await insertSet([{ set: 'rejected' }], id);
  const running = await insertSet(
    [
      { ...news, set: 'capturing', decision: 'approved' },
      { ...blog, status: 'pending' },
    ],
    id,
  );
  const retake = await insertSet([{ ...blog, of: first }], id);
  const newer = await insertSet([{ ...news, set: 'in_review' }, blog], id);
  const ofNewer = await insertSet([{ ...news, set: 'in_review', of: newer }], id);
  const shared = { ...link(''), set_id: null, campaign_id: id };
  const shown = [retake.ids[0], first.ids[2], first.ids[1], running.ids[0], ...newer.ids];
  const rows = await readSharedPage(db, shared, { skip: 0, take: 100 });
  expect(rows.map((row) => row.id)).toEqual(shown);
  expect(rows.map(({ isNew }) => isNew)).toEqual([true, false, false, false, false, false]);
  const sets = [first, first, first, running, newer, newer].map(({ setId }) => setId);
  expect(rows.map(({ own_set }) => own_set)).toEqual(sets);
  expect(await readSharedSummary(db, shared)).toMatchObject({ pictures: 6, sets: 3, isLive: true, renewed: 1 });
  expect(await countShared(db, { campaignId: id })).toEqual({ pictures: 6, approved: 4 });
  const place = await readSharedPlace(db, shared, { picture: rows[0]?.image_token ?? '' });
  expect(place?.strip.map((row) => row.id)).toEqual([retake.ids[0]]);
  const given = { campaignId: id, options: { audience: 'organization' as const } };
  const exported = await readExportPictures(db, given, { skip: 0 });
  // The organization sees retakes before they are approved.
  const own = [retake.ids[0], first.ids[2], first.ids[1], running.ids[0], ofNewer.ids[0], newer.ids[1]];
  expect(exported.map((picture) => picture.id)).toEqual(own);
  expect(exported.map(({ number }) => number)).toEqual([1, 3, 2, 4, 6, 7]);
  const chosen = { ...given.options, screenshot_ids: [newer.ids[1] ?? '', first.ids[0] ?? ''] };
  const some = await readExportPictures(db, { campaignId: id, options: chosen }, { skip: 0 });
  expect(some.map((picture) => picture.id)).toEqual([newer.ids[1], retake.ids[0]]);
  expect([...sets, rejected.setId]).not.toContain(retake.setId);
});
