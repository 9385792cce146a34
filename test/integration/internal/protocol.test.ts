import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { issueJobToken } from '../../../src/api/auth/jobToken.ts';
import { frameKey } from '../../../src/api/transfers/transfers.ts';
import type { FolderArtifactStore } from '../../../src/artifacts/folder.ts';
import type {
  Attempt,
  ClaimedCreative,
  DeclaredUploads,
  ResolvedCreatives,
} from '../../../src/contract/captureProtocol.ts';
import type { NewSiteRule } from '../../../src/contract/siteRules.ts';
import { admitWaiting } from '../../../src/core/jobs/admission.ts';
import { settleJob } from '../../../src/core/jobs/settlement.ts';
import { readAdRecord, readSetText } from '../../../src/core/sets/readRecords.ts';
import { createSiteRule } from '../../../src/core/siteRules/siteRules.ts';
import type { Store } from '../../../src/db/database.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { withContent } from '../../../src/domain/pictureKeys.ts';
import { WARNING_CODES } from '../../../src/domain/warnings.ts';
import { type CaptureClient, captureClient, PNG, PNG_FACTS } from '../../support/captureClient.ts';
import { insertAd, insertOrganization, insertSet, type TestOrganization } from '../../support/insertRows.ts';
import { startTestInternalApi, type TestInternalApi } from '../../support/testInternalApi.ts';

const LIMITS = { maxPods: 10, maxPodsPerOrganization: 10, parallelism: 2, setDeadlineSeconds: 600 };

let internalApi: TestInternalApi;
let store: Store;
let organization: TestOrganization;
let internalUrl: string;
let secret: Buffer;
let artifacts: FolderArtifactStore;
/** Final states of pictures as they are counted. */
const counted: string[] = [];
/** Milestones of sets and processor seconds as they are measured. */
const measured: unknown[] = [];
/** The names of the queue entries; no worker processes them here. */
const enqueued: string[] = [];
const eventContext = {
  publicUrl: 'https://tearsheet.example',
  queue: {
    enqueue: async (_tx: unknown, name: string) => {
      enqueued.push(name);
    },
  },
};

beforeEach(async () => {
  enqueued.length = 0;
  counted.length = 0;
  measured.length = 0;
  internalApi = await startTestInternalApi(() => ({
    ...{ ...eventContext, maxUploadBytes: 1_000 },
    observe: {
      screenshots: (statuses) => counted.push(...statuses),
      milestones: (reached) => measured.push(...reached.map(({ milestone }) => milestone)),
      processor: (seconds) => measured.push(seconds),
    },
  }));
  ({ store, secret, artifacts, internalUrl } = internalApi);
  organization = await insertOrganization(store.db);
});

afterEach(() => internalApi.close());

/** Admits what waits. */
async function admit(): Promise<{ jobId: string; client: CaptureClient }> {
  const [admitted] = (await store.db.transaction().execute((tx) => admitWaiting(tx, LIMITS, { reached: [] }))).admitted;
  const jobId = admitted?.jobId ?? '';
  const token = issueJobToken(secret, jobId, new Date(Date.now() + 3_600_000));
  return { jobId, client: uploading(captureClient(internalUrl, jobId, token)) };
}

/** Uploads what it reports, under whichever keys it names. */
function uploading(client: CaptureClient): CaptureClient {
  return {
    async call<T>(path: string, body: object) {
      const keys = [...JSON.stringify(body).matchAll(/"key":"([^"]+)"/g)].map(([, key = '']) => key);
      for (const key of keys) await artifacts.put(key, PNG);
      return client.call<T>(path, body);
    },
  };
}

const open = (client: CaptureClient, pod: string, index = 0) =>
  client.call<Attempt>(`indexes/${index}/attempts`, { pod });
const claim = (client: CaptureClient, attempt: number, index = 0) =>
  client.call<ClaimedCreative>('creatives/claim', { index, attempt });

/** The result of a creative that index 0 rendered in its first attempt. */
function rendered(jobId: string, creative: ClaimedCreative['creative']) {
  const owner = { jobId, adId: creative?.ad_id ?? '', index: 0, attempt: 1 };
  return {
    ...{ status: 'uploaded', format: 'tag', category: 'display', mode: 'stepped', notes: ['one'] },
    ...{ width: 300, height: 250 },
    frames: (creative?.wanted ?? []).map((frame) => ({
      ...frame,
      key: withContent(frameKey(owner, frame), PNG_FACTS.sha256),
      ...PNG_FACTS,
    })),
  };
}

const taken = (id: string, attempt: number) => ({
  ...{ id, status: 'uploaded', key: `screenshots/${id}/${attempt}-${PNG_FACTS.sha256}.png`, ...PNG_FACTS },
  ...{ captured_at: new Date().toISOString(), record: { final_url: 'https://news.example/' } },
});

/** Lets every lease run out. */
const passLeases = () =>
  store.db
    .updateTable('job_creatives')
    .set({ claim_expires_at: new Date(0) })
    .where('claim_expires_at', 'is not', null)
    .execute();

async function oneAdOnePage() {
  const adId = await insertAd(store.db, organization);
  const setId = await insertSet(store.db, organization, { pictures: [{ adId }] });
  return { adId, setId, ...(await admit()) };
}

test('A newer attempt supersedes the older one, whose results are refused', async () => {
  const { client } = await oneAdOnePage();
  const first = await open(client, 'pod-1');
  expect(first.body).toMatchObject({ attempt: 1, done: false });
  expect((await open(client, 'pod-1')).body.attempt).toBe(1);
  const second = await open(client, 'pod-2');
  expect(second.body.attempt).toBe(2);
  const id = first.body.pages[0]?.screenshots[0]?.id ?? '';
  const late = await client.call('screenshots/results', { index: 0, attempt: 1, results: [taken(id, 1)] });
  expect(late).toMatchObject({ status: 409, body: { error: 'superseded' } });
  expect((await claim(client, 1)).status).toBe(409);
  expect((await client.call('indexes/0/finish', { attempt: 1, phases: {} })).status).toBe(409);
  expect(await store.db.selectFrom('images').selectAll().execute()).toEqual([]);
  const current = await client.call('screenshots/results', { index: 0, attempt: 2, results: [taken(id, 2)] });
  expect(current.status).toBe(200);
});

test('Repeating a result changes nothing', async () => {
  const { client, jobId, adId } = await oneAdOnePage();
  const { body } = await open(client, 'pod-1');
  const { creative } = (await claim(client, 1)).body;
  expect(creative?.wants_facts).toBe(true);
  const { ad_id = '' } = creative ?? {};
  await store.db
    .updateTable('ads')
    .set({ facts: JSON.stringify({ page: { not_measured: 'it took too long.' } }) })
    .where('id', '=', ad_id)
    .execute();
  const facts = { file_bytes: 1, white_edge: null, animation: null, page: null };
  const result = { index: 0, attempt: 1, seconds: 1, result: { ...rendered(jobId, creative), facts } };
  const id = body.pages[0]?.screenshots[0]?.id ?? '';
  for (let i = 0; i < 3; i++) {
    expect((await client.call(`creatives/${adId}/result`, result)).status).toBe(200);
    const pictures = { index: 0, attempt: 1, results: [taken(id, 1), taken(id, 1)] };
    expect((await client.call('screenshots/results', pictures)).status).toBe(200);
    const finish = { attempt: 1, phases: {}, processor_seconds: 7.5 };
    expect((await client.call('indexes/0/finish', finish)).status).toBe(200);
  }
  expect(measured).toEqual(['first_picture', 7.5]);
  const other = { ...result, result: { status: 'not_found', reason: 'changed its mind' } };
  expect((await client.call(`creatives/${adId}/result`, other)).status).toBe(200);
  const images = await store.db.selectFrom('images').selectAll().execute();
  expect(images.map(({ artifact_key }) => artifact_key).sort()).toEqual([
    `creatives/${jobId}/${adId}/default-1-0-1-${PNG_FACTS.sha256}.png`,
    `screenshots/${id}/1-${PNG_FACTS.sha256}.png`,
  ]);
  expect(images.every(({ token }) => /^[\w-]{32}$/.test(token))).toBe(true);
  const ad = await store.db.selectFrom('ads').selectAll().executeTakeFirstOrThrow();
  expect(ad).toMatchObject({ status: 'uploaded', category: 'display', width: 300, height: 250, facts });
  expect(counted).toEqual(['uploaded']);
  // Rendered again by a later attempt of a restarted pod: nothing is left to do.
  expect((await open(client, 'pod-2')).body).toMatchObject({ attempt: 2, done: true, pages: [] });
});

test('A page gets the site rules of its organization, and the rules note when they acted or found nothing', async () => {
  const other = await insertOrganization(store.db);
  const create = (owner: TestOrganization, rule: Partial<NewSiteRule>) =>
    store.db
      .transaction()
      .execute((tx) => createSiteRule(tx, owner.id, { host: 'news.example', ...rule } as NewSiteRule, OPERATOR));
  const cookies = [{ name: 'session', value: 'secret' }];
  const own = await create(organization, { cookies });
  const general = await create(organization, { host: '*.example', hide: ['#bar'] });
  await create(organization, { device: 'phone', hide: ['#phone'] });
  const foreign = await create(other, { hide: ['#foreign'] });
  // The secrets of a rule for another site are not even opened.
  const unreadable = await create(organization, { host: 'other.example', cookies });
  await store.db.updateTable('site_rules').set({ access: 'no seal' }).where('id', '=', unreadable.id).execute();
  const { setId, client } = await oneAdOnePage();
  const [page] = (await open(client, 'pod-1')).body.pages;
  expect(page?.access).toBeUndefined();
  expect(page?.rules).toMatchObject([
    { id: own.id, host: 'news.example', cookies, slots: [] },
    { id: general.id, host: '*.example', hide: ['#bar'], cookies: [] },
  ]);
  const effect = (problem: string | null) => ({ part: 'hide', target: '#bar', found: 0, problem });
  const site_rules = [
    { id: own.id, host: 'news.example', effects: [effect(null)] },
    { id: general.id, host: '*.example', effects: [effect(null), effect('It is gone.')] },
    { id: foreign.id, host: 'news.example', effects: [effect(null)] },
    { id: 'no uuid', host: 'news.example', effects: [effect(null)] },
  ];
  const { id } = await store.db
    .selectFrom('screenshots')
    .select('id')
    .where('set_id', '=', setId)
    .executeTakeFirstOrThrow();
  const picture = { ...taken(id, 1), record: { site_rules } };
  expect((await client.call('screenshots/results', { index: 0, attempt: 1, results: [picture] })).status).toBe(200);
  const times = async () => {
    const rules = await store.db.selectFrom('site_rules').selectAll().orderBy('created_at').execute();
    return new Map(rules.map((rule) => [rule.id, [rule.last_acted_at !== null, rule.last_missed_at !== null]]));
  };
  const noted = await times();
  expect([own, general, foreign].map((rule) => noted.get(rule.id))).toEqual([
    ...[
      [true, false],
      [true, true],
      [false, false],
    ],
  ]);
});

test('A claim that was lost three times fails its creative and the pictures of it', async () => {
  const { client, adId, setId } = await oneAdOnePage();
  await open(client, 'pod-1');
  expect((await claim(client, 1)).body).toMatchObject({ creative: { ad_id: adId }, unresolved: 1 });
  expect((await claim(client, 1)).body).toMatchObject({ creative: null, unresolved: 1 });
  await passLeases();
  expect((await claim(client, 1)).body.creative?.ad_id).toBe(adId);
  await open(client, 'pod-2');
  expect((await claim(client, 2)).body.creative?.ad_id).toBe(adId);
  await open(client, 'pod-3');
  expect((await claim(client, 3)).body).toEqual({ creative: null, unresolved: 0 });
  const pictures = await store.db.selectFrom('screenshots').selectAll().where('set_id', '=', setId).execute();
  expect(pictures).toMatchObject([{ status: 'ad_not_captured', reason: 'It ended the renderer three times.' }]);
  expect(counted).toEqual(['ad_not_captured']);
  expect(await store.db.selectFrom('ads').selectAll().execute()).toMatchObject([{ status: 'generic_error' }]);
});

test('A claim that is given back or renewed is not lost', async () => {
  const { client, adId } = await oneAdOnePage();
  await open(client, 'pod-1');
  const bound = { index: 0, attempt: 1 };
  for (let i = 0; i < 3; i++) {
    expect((await claim(client, 1)).body.creative?.ad_id).toBe(adId);
    expect((await client.call(`creatives/${adId}/release`, bound)).status).toBe(200);
  }
  await claim(client, 1);
  expect((await client.call(`creatives/${adId}/renew`, bound)).body).toEqual({ held: true });
  await passLeases();
  await claim(client, 1);
  await client.call(`creatives/${adId}/release`, bound);
  expect((await client.call(`creatives/${adId}/renew`, bound)).body).toEqual({ held: false });
  const [row] = await store.db.selectFrom('job_creatives').selectAll().execute();
  expect(row).toMatchObject({ claims_lost: 1, status: 'pending' });
});

test('Another index of the same job can neither renew nor release a claim', async () => {
  const adId = await insertAd(store.db, organization);
  const pictures = [0, 1].map((n) => ({ adId, site: `https://site-${n}.example/` }));
  await insertSet(store.db, organization, { pictures });
  const { client } = await admit();
  await open(client, 'pod-a', 0);
  await open(client, 'pod-b', 1);
  expect((await claim(client, 1, 0)).body.creative?.ad_id).toBe(adId);
  const other = { index: 1, attempt: 1 };
  await client.call(`creatives/${adId}/release`, other);
  expect((await client.call(`creatives/${adId}/renew`, other)).body).toEqual({ held: false });
  expect((await client.call(`creatives/${adId}/renew`, { ...other, index: 0 })).body).toEqual({ held: true });
});

test('A capture claims creatives one by one, first those of its own pages', async () => {
  const ads = [];
  for (let i = 0; i < 4; i++) ads.push(await insertAd(store.db, organization));
  ads.sort();
  const site = (n: number) => `https://site-${n}.example/`;
  await insertSet(store.db, organization, { pictures: ads.map((adId, n) => ({ adId, site: site(n) })) });
  const { client } = await admit();
  await open(client, 'pod-a', 0);
  await open(client, 'pod-d', 3);
  expect((await claim(client, 1, 3)).body.creative?.ad_id).toBe(ads[3]);
  const others = await Promise.all([
    claim(client, 1, 3),
    claim(client, 1, 0),
    claim(client, 1, 3),
    claim(client, 1, 0),
  ]);
  const got = others.map(({ body }) => body.creative?.ad_id).filter((id) => id !== undefined);
  expect(got.sort()).toEqual(ads.slice(0, 3));
});

test('A claim names the format of the creative in an earlier capture', async () => {
  const adId = await insertAd(store.db, organization);
  await store.db
    .updateTable('ads')
    .set({ kind: 'url', content: 'https://cdn.example/a' })
    .where('id', '=', adId)
    .execute();
  const claimInNewJob = async () => {
    await insertSet(store.db, organization, { pictures: [{ adId, site: 'https://site.example/' }] });
    const { jobId, client } = await admit();
    await open(client, 'pod');
    return { jobId, creative: (await claim(client, 1)).body.creative };
  };
  const first = await claimInNewJob();
  expect(first.creative).toMatchObject({ ad_id: adId, earlier_format: null });
  await store.db
    .updateTable('job_creatives')
    .set({ status: 'rendered', format: 'html5_zip', resolved_at: new Date() })
    .where('job_id', '=', first.jobId)
    .execute();
  expect((await claimInNewJob()).creative).toMatchObject({ ad_id: adId, earlier_format: 'html5_zip' });
});

test('A wait for a creative ends when its result arrives', async () => {
  const { client, jobId, adId } = await oneAdOnePage();
  await open(client, 'pod-1');
  const { creative } = (await claim(client, 1)).body;
  const waiting = client.call<ResolvedCreatives>('creatives/wait', {
    ...{ index: 0, attempt: 1, ads: [adId], timeout_ms: 20_000 },
  });
  await client.call(`creatives/${adId}/result`, {
    index: 0,
    attempt: 1,
    seconds: 1,
    result: rendered(jobId, creative),
  });
  const [resolved] = (await waiting).body.creatives;
  // After its time has passed the wait would answer an empty list.
  expect(resolved).toMatchObject({ ad_id: adId, status: 'rendered', width: 300, height: 250, mode: 'stepped' });
  const frame = resolved?.status === 'rendered' ? resolved.frames[0] : undefined;
  expect(frame).toMatchObject({ marker_ms: null, ratio: 1, sha256: PNG_FACTS.sha256 });
  expect(Buffer.from(await (await fetch(frame?.url ?? '')).arrayBuffer()).equals(PNG)).toBe(true);
});

test('A wait for a creative without a result returns an empty list', async () => {
  const { client, adId } = await oneAdOnePage();
  await open(client, 'pod-1');
  const bound = { index: 0, attempt: 1 };
  expect((await client.call('creatives/wait', { ...bound, ads: [adId], timeout_ms: 50 })).body).toEqual({
    creatives: [],
  });
});

test('Every write of a capture is rejected after settlement', async () => {
  const { client, jobId, adId } = await oneAdOnePage();
  const { body } = await open(client, 'pod-1');
  await store.db
    .transaction()
    .execute((tx) => settleJob(tx, { jobId, cause: 'canceled' }, { ...eventContext, resolved: [], reached: [] }));
  const id = body.pages[0]?.screenshots[0]?.id ?? '';
  const results = { index: 0, attempt: 1, results: [taken(id, 1)] };
  expect((await client.call('screenshots/results', results)).status).toBe(409);
  const failed = { index: 0, attempt: 1, seconds: 1, result: { status: 'not_found', reason: 'late' } };
  expect((await client.call(`creatives/${adId}/result`, failed)).status).toBe(409);
  expect((await open(client, 'pod-2')).body).toMatchObject({ done: true, pages: [] });
});

test('A result that does not fit the request is rejected with a message', async () => {
  const { client, jobId, adId } = await oneAdOnePage();
  const { body } = await open(client, 'pod-1');
  const { creative } = (await claim(client, 1)).body;
  const bound = { index: 0, attempt: 1 };
  const send = (result: object) =>
    client.call<{ message: string }>(`creatives/${adId}/result`, { ...bound, seconds: 1, result });
  const missing = await send({ ...rendered(jobId, creative), frames: [] });
  expect(missing).toMatchObject({ status: 422 });
  expect(missing.body.message).toContain('ratio 1 is missing');
  const frames = rendered(jobId, creative).frames.map((frame) => ({ ...frame, key: 'screenshots/elsewhere/1.png' }));
  expect((await send({ ...rendered(jobId, creative), frames })).body.message).toContain('is not the key');
  const id = body.pages[0]?.screenshots[0]?.id ?? '';
  const wrongKey = { ...bound, results: [{ ...taken(id, 1), key: 'screenshots/x/1.png' }] };
  expect((await client.call('screenshots/results', wrongKey)).status).toBe(422);
  const stranger = { ...bound, results: [taken('aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa', 1)] };
  expect((await client.call<{ message: string }>('screenshots/results', stranger)).body.message).toContain(
    'is not of this index',
  );
  expect((await client.call('screenshots/results', { ...bound, results: [] })).status).toBe(422);
  expect((await open(client, 'pod-9', 7)).status).toBe(404);
});

test('A token of another job and an address for another picture are rejected', async () => {
  const { client, jobId } = await oneAdOnePage();
  const stranger = captureClient(
    internalUrl,
    jobId,
    issueJobToken(secret, organization.id, new Date(Date.now() + 3_600_000)),
  );
  expect((await open(stranger, 'pod')).status).toBe(401);
  const { body } = await open(client, 'pod-1');
  const id = body.pages[0]?.screenshots[0]?.id ?? '';
  const addressFor = async (png: Buffer) => {
    const sha256 = createHash('sha256').update(png).digest('hex');
    const uploads = [{ kind: 'screenshot', id, sha256, bytes: png.length }];
    const declared = await client.call<DeclaredUploads>('uploads', { index: 0, attempt: 1, uploads });
    return declared.body.uploads[0]?.url ?? '';
  };
  const headers = { 'content-type': 'image/png' };
  const put = async (address: string, bytes: Buffer) =>
    (await fetch(address, { method: 'PUT', headers, body: new Uint8Array(bytes) })).status;
  const url = await addressFor(PNG);
  expect(await put(url.replace('screenshots', 'creatives'), PNG)).toBe(403);
  expect(await put(url, Buffer.concat([PNG, Buffer.alloc(1_000)]))).toBe(403);
  expect((await fetch(url)).status).toBe(403);
  expect(await put(url, PNG)).toBe(204);
  const script = Buffer.from('<script>');
  expect(await put(await addressFor(script), script)).toBe(422);
});

test('A call in another version of the protocol is refused with both versions named', async () => {
  const { jobId } = await oneAdOnePage();
  const response = await fetch(`${internalUrl}/internal/v1/jobs/${jobId}/indexes/0/attempts`, { method: 'POST' });
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({
    error: 'unsupported_version',
    message: expect.stringContaining('The API speaks version v2 of it, and the capture called version v1.'),
  });
});

test('Characters that Postgres cannot store are replaced in the names and reasons of a hostile page', async () => {
  const { client, jobId, adId } = await oneAdOnePage();
  const { body } = await open(client, 'pod-1');
  const id = body.pages[0]?.screenshots[0]?.id ?? '';
  const bound = { index: 0, attempt: 1 };
  const hostile = 'a\0b\ud800c\\u0000😀';
  const harmless = 'a\ufffdb\ufffdc\\u0000😀';
  const { creative } = (await claim(client, 1)).body;
  const result = { ...rendered(jobId, creative), notes: [hostile] };
  expect((await client.call(`creatives/${adId}/result`, { ...bound, seconds: 1, result })).status).toBe(200);
  const record = { candidates: [{ element: hostile }] };
  const failed = { id, status: 'no_slots', reason: hostile, record };
  expect((await client.call('screenshots/results', { ...bound, results: [failed] })).status).toBe(200);
  const stored = await store.db.selectFrom('screenshots').select(['reason', 'record']).executeTakeFirstOrThrow();
  expect(stored).toEqual({ reason: harmless, record: { candidates: [{ element: harmless }] } });
  const { notes } = await store.db.selectFrom('job_creatives').select('notes').executeTakeFirstOrThrow();
  expect(notes).toEqual([harmless]);
});

const KEEPING = {
  allow_scaling: true,
  slot: { index: 2 },
  other_ads: 'keep',
  full_page: true,
  view: 'masthead',
} as const;
const SCALED = [{ code: 'scaled', message: 'The ad is shown at 80 %.' }];
const EVERY = WARNING_CODES.map((code) => ({ code, message: `A fact with the code ${code}.` }));

test('Options, size and warnings of every code reach the capture, the records and the event', async () => {
  const subscribers = [{ webhook_url: 'https://hook.example/', webhook_topics: ['screenshot_set.approved'] }];
  const adId = await insertAd(store.db, organization);
  await store.db.updateTable('ads').set({ given_width: 320, given_height: 50 }).where('id', '=', adId).execute();
  const setId = await insertSet(store.db, organization, { pictures: [{ adId, options: KEEPING }], subscribers });
  const { jobId, client } = await admit();
  const { body } = await open(client, 'pod-1');
  expect(body.pages[0]?.screenshots).toMatchObject([{ ad_id: adId, options: KEEPING }]);
  const { creative } = (await claim(client, 1)).body;
  expect(creative).toMatchObject({ ad_id: adId, size: { width: 320, height: 50 } });
  const bound = { index: 0, attempt: 1 };
  const result = { ...rendered(jobId, creative), warnings: EVERY };
  expect((await client.call(`creatives/${adId}/result`, { ...bound, seconds: 1, result })).status).toBe(200);
  const wait = { ...bound, ads: [adId], timeout_ms: 0 };
  const { creatives } = (await client.call<ResolvedCreatives>('creatives/wait', wait)).body;
  expect(creatives).toMatchObject([{ ad_id: adId, warnings: EVERY }]);
  const results = [{ ...taken(body.pages[0]?.screenshots[0]?.id ?? '', 1), warnings: [...EVERY, ...SCALED] }];
  expect((await client.call('screenshots/results', { ...bound, results })).status).toBe(200);
  const publicUrl = 'https://tearsheet.example';
  expect(await readAdRecord(store.db, { id: adId, publicUrl })).toMatchObject({ warnings: EVERY });
  const record = JSON.parse((await readSetText(store.db, { id: setId, publicUrl })) ?? '');
  expect(record.screenshots).toMatchObject([{ warnings: [...EVERY, ...SCALED] }]);
  await store.db
    .transaction()
    .execute((tx) => settleJob(tx, { jobId, cause: 'complete' }, { ...eventContext, resolved: [], reached: [] }));
  const event = await store.db.selectFrom('events').select('body').executeTakeFirstOrThrow();
  expect(JSON.parse(event.body).data.object.screenshots).toMatchObject([{ warnings: [...EVERY, ...SCALED] }]);
});

test('Screenshots with default options have no options in the protocol', async () => {
  const { client } = await oneAdOnePage();
  const { body } = await open(client, 'pod-1');
  expect(body.pages[0]?.screenshots[0]?.options).toBeNull();
  expect((await claim(client, 1)).body.creative?.size).toBeNull();
});

test('The same page with and without other ads is captured by two indexes', async () => {
  const adId = await insertAd(store.db, organization);
  await insertSet(store.db, organization, { pictures: [{ adId }, { adId, options: KEEPING }] });
  const { client } = await admit();
  const pages = [await open(client, 'pod-a', 0), await open(client, 'pod-b', 1)].flatMap(({ body }) => body.pages);
  expect(pages.map(({ screenshots }) => screenshots.map(({ options }) => options))).toEqual([[null], [KEEPING]]);
});

test('A capture cannot read or change anything of another job', async () => {
  const mine = await oneAdOnePage();
  const other = await oneAdOnePage();
  const theirs = (await open(other.client, 'pod-of-theirs')).body.pages[0]?.screenshots[0]?.id ?? '';
  await open(mine.client, 'pod-1');
  const { creative } = (await claim(mine.client, 1)).body;
  const bound = { index: 0, attempt: 1 };
  const stolen = { ...bound, results: [taken(theirs, 1)] };
  expect((await mine.client.call('screenshots/results', stolen)).status).toBe(422);
  const result = { status: 'not_found', reason: 'x' };
  const failing = await mine.client.call(`creatives/${other.adId}/result`, { ...bound, seconds: 1, result });
  expect(failing.status).toBe(422);
  const renewed = await mine.client.call(`creatives/${other.adId}/renew`, bound);
  expect(renewed.body).toEqual({ held: false });
  const wait = { ...bound, ads: [other.adId], timeout_ms: 0 };
  expect((await mine.client.call('creatives/wait', wait)).body).toEqual({ creatives: [] });
  expect(creative?.ad_id).toBe(mine.adId);
  const untouched = await store.db.selectFrom('ads').select('status').where('id', '=', other.adId).executeTakeFirst();
  expect(untouched).toEqual({ status: 'pending' });
});

test.each([
  ['an invalid time', { captured_at: 'yesterday' }],
  ['a time in the future', { captured_at: '9999-12-31T23:59:59Z' }],
  ['a time in the distant past', { captured_at: '1970-01-01T00:00:00Z' }],
  ['no area', { width: 0 }],
  ['a size that no browser can paint', { height: 65_536 }],
  ['a size that is not a whole number', { width: 300.5 }],
  ['a size that exceeds the integers of the database', { width: 3_000_000_000 }],
  ['an invalid checksum', { sha256: 'x'.repeat(100_000) }],
])('A result with %s gets 422, so that the capture does not retry it', async (_, fault) => {
  const { client } = await oneAdOnePage();
  const { body } = await open(client, 'pod-1');
  const id = body.pages[0]?.screenshots[0]?.id ?? '';
  const results = [{ ...taken(id, 1), ...fault }];
  expect((await client.call('screenshots/results', { index: 0, attempt: 1, results })).status).toBe(422);
});

test('The transaction of an ad’s result also stores the event for its subscribers', async () => {
  const subscribers = [
    { webhook_url: 'https://hooks.example/plain', s3_bucket: 'pictures', s3_key_prefix: 'ar_' },
    { webhook_url: 'https://hooks.example/failures', webhook_topics: ['ad.failed'] },
  ];
  const fine = await insertAd(store.db, organization, { source: 'create_ad', subscribers });
  const broken = await insertAd(store.db, organization, { source: 'create_ad', subscribers });
  const { client, jobId } = await admit();
  await open(client, 'pod-1');
  for (let i = 0; i < 2; i++) {
    const { creative } = (await claim(client, 1)).body;
    const result = creative?.ad_id === fine ? rendered(jobId, creative) : { status: 'not_found', reason: '404' };
    await client.call(`creatives/${creative?.ad_id}/result`, { index: 0, attempt: 1, seconds: 1, result });
  }
  const deliveries = await store.db
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .select(['topic', 'target', 'deliveries.ad_id'])
    .orderBy('target')
    .execute();
  expect(deliveries).toEqual([
    { topic: 'ad.failed', target: 'https://hooks.example/failures', ad_id: broken },
    { topic: 'ad.uploaded', target: 'https://hooks.example/plain', ad_id: fine },
    { topic: 'ad.uploaded', target: 's3://pictures/ar_', ad_id: fine },
  ]);
});

test('Subscribers of the progress topic get an event at each quarter', async () => {
  const adId = await insertAd(store.db, organization);
  await insertSet(store.db, organization, {
    pictures: Array.from({ length: 8 }, (_, i) => ({ adId, markerMs: i * 100 })),
    subscribers: [
      { webhook_url: 'https://hooks.example/a', webhook_topics: ['screenshot_set.progress'] },
      { webhook_url: 'https://hooks.example/b' },
    ],
  });
  const { client } = await admit();
  const { body } = await open(client, 'pod-1');
  for (const { id } of body.pages[0]?.screenshots ?? []) {
    await client.call('screenshots/results', { index: 0, attempt: 1, results: [taken(id, 1)] });
  }
  const events = await store.db.selectFrom('events').select(['topic', 'body']).orderBy('created_at').execute();
  const uploaded = events.map(({ body: text }) => {
    const { screenshots } = JSON.parse(text).data.object;
    return screenshots.filter(({ status }: { status: string }) => status === 'uploaded').length;
  });
  expect(uploaded).toEqual([2, 4, 6]);
  expect(await store.db.selectFrom('deliveries').select('target').distinct().execute()).toEqual([
    { target: 'https://hooks.example/a' },
  ]);
});
