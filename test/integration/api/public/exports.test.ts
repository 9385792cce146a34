import { sql } from 'kysely';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertExportSet } from '../../../support/exportSet.ts';
import { insertSet, type TestOrganization } from '../../../support/insertRows.ts';
import {
  exchange,
  type Json,
  memoryArtifacts,
  type Reply,
  startPublicApi,
  type TestApi,
} from '../../../support/publicApi.ts';
import { SLOW_SVG } from '../../../support/slowSvg.ts';

const files = new Map<string, Buffer>();
const artifacts = memoryArtifacts(files);
let api: TestApi;
let organization: TestOrganization;
let adId: string;

beforeAll(async () => {
  api = await startPublicApi({ artifacts, exportWaitMs: 300 });
  const media = { type: 'url', content: 'https://cdn.example/a.png' };
  const ad: Json = (await api.post('ads', { campaign: { name: 'Spring' }, ad: { media } })).json;
  adId = ad.id;
  const { id } = await api.store.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
  organization = { id, slug: 'acme', campaignId: ad.campaign_id };
});
afterAll(() => api.close());

const newSet = (pictures = 2) =>
  insertExportSet(
    { db: api.store.db, artifacts, organization },
    Array.from({ length: pictures }, () => ({})),
  );

/** Ends an export as a worker would. */
async function finish(id: string, file: string): Promise<void> {
  files.set(`exports/${id}/1.pdf`, Buffer.from(file));
  await sql`update exports set status = 'ready', attempt = 1, done = total, artifact_key = ${`exports/${id}/1.pdf`},
    bytes = ${file.length}, finished_at = now(), expires_at = now() + interval '7 days' where id = ${id}`.execute(
    api.store.db,
  );
}

const put = (path: string, body: string | Buffer, type = 'application/json'): Promise<Reply> =>
  exchange(api.url, {
    method: 'PUT',
    path: `/api/v1/orgs/acme/${path}`,
    headers: { authorization: `Bearer ${api.organization.api_key}`, 'content-type': type },
    body,
  });

test('a requested export is accepted, queued once, and opens its file when it is ready', async () => {
  const set = await newSet();
  const path = `screenshot_sets/${set.id}/exports`;
  const queued = await api.count('queued');
  const first = await api.post(path, { format: 'pdf' });
  expect(first.status).toBe(202);
  expect(first.headers['retry-after']).toBe('3');
  expect(first.json).toMatchObject({
    type: 'export',
    status: 'pending',
    url: null,
    progress: { done: 0, total: 2 },
    parts: 1,
  });
  expect(first.json.options).toMatchObject({ frame: 'none', page_size: '16:9', time_zone: 'UTC', failures: false });
  expect((await api.post(path, { format: 'pdf', frame: 'none' })).json.id).toBe(first.json.id);
  expect(await api.count('queued')).toBe(queued + 1);
  await finish(first.json.id, 'file of the export');
  const ready = await api.get(`exports/${first.json.id}`);
  expect(ready.json).toMatchObject({
    status: 'ready',
    bytes: 18,
    file_name: expect.stringMatching(/^Spring-\d{4}-\d\d-\d\d\.pdf$/),
  });
  const file = await api.send({ path: new URL(ready.json.url).pathname });
  expect(file).toMatchObject({ status: 200, text: 'file of the export' });
  expect(file.headers['content-disposition']).toContain('attachment; filename="Spring-');
  expect((await api.get(path)).json).toMatchObject({ total: 1, data: [{ id: first.json.id }] });
  const download = await api.get(`screenshot_sets/${set.id}/export?format=pdf`);
  expect(download.status).toBe(302);
  expect(download.headers.location).toBe(new URL(ready.json.url).pathname);
});

test('a campaign is exported when all its sets are finished', async () => {
  const { json: ad } = await api.post('ads', {
    campaign: { name: 'Whole' },
    ad: { media: { type: 'url', content: 'https://cdn.example/b.png' } },
  });
  const whole = { ...organization, campaignId: ad.campaign_id };
  const path = `campaigns/${ad.campaign_id}/exports`;
  expect((await api.post(path, { format: 'pdf' })).json.errors).toHaveProperty('screenshots');
  const given = { db: api.store.db, artifacts, organization: whole };
  await insertExportSet(given, [{}, {}]);
  const running = await insertExportSet(given, [{}], { status: 'capturing' });
  const refused = await api.post(path, { format: 'pdf' });
  const rule = 'is capturing for one of its sets: the campaign can be exported when all its screenshots are finished.';
  expect([refused.status, refused.json.errors]).toEqual([409, { status: [rule] }]);
  await api.store.db.updateTable('screenshot_sets').set({ status: 'approved' }).where('id', '=', running.id).execute();
  const { status, json } = await api.post(path, { format: 'pdf' });
  expect([status, json]).toMatchObject([202, { campaign_id: ad.campaign_id, progress: { total: 3 } }]);
  expect(json).not.toHaveProperty('screenshot_set_id');
  expect((await api.post(path, { format: 'pdf' })).json.id).toBe(json.id);
  expect((await api.get(path)).json).toMatchObject({ total: 1, data: [{ id: json.id }] });
  expect((await api.get(`exports/${json.id}`)).json).toMatchObject({ campaign_id: ad.campaign_id });
  expect((await api.post('campaigns/00000000-0000-4000-8000-000000000000/exports', { format: 'pdf' })).status).toBe(
    404,
  );
  const late = await api.post(path, { format: 'pdf', part: 2 });
  expect(late.json.errors).toEqual({ part: ['must be at most 1: the campaign has 3 pictures.'] });
});

test.each(['ready', 'expired'] as const)('the file of an export that is %s and too old answers 410', async (status) => {
  const set = await newSet(1);
  const { json } = await api.post(`screenshot_sets/${set.id}/exports`, { format: 'zip' });
  const row = await api.store.db
    .updateTable('exports')
    .set({ status, artifact_key: 'k.zip', expires_at: new Date(Date.now() - 1_000) })
    .where('id', '=', json.id)
    .returning(['token', 'file_name'])
    .executeTakeFirstOrThrow();
  const reply = await api.send({ path: `/e/${row.token}/${row.file_name}` });
  expect([reply.status, reply.json.errors]).toEqual([
    410,
    { token: ['This file has expired. Request the export again.'] },
  ]);
});

test('a download that is not ready soon answers 202 with the export', async () => {
  const set = await newSet(1);
  const waiting = await api.get(`screenshot_sets/${set.id}/export?format=zip`);
  expect(waiting.status).toBe(202);
  expect(waiting.json.status).toBe('pending');
});

test('an export of a set without pictures or with open screenshots is refused', async () => {
  const open = await insertSet(api.store.db, organization, { pictures: [{ adId }] });
  expect((await api.post(`screenshot_sets/${open}/exports`, { format: 'zip' })).status).toBe(409);
  await api.store.db.updateTable('screenshot_sets').set({ status: 'failed' }).where('id', '=', open).execute();
  const refused = await api.post(`screenshot_sets/${open}/exports`, { format: 'zip' });
  expect(refused.status).toBe(409);
  expect(refused.json.errors.screenshots).toEqual(['have no picture, so there is nothing to export.']);
});

test('faults of an export request are listed by their fields', async () => {
  const set = await newSet(1);
  const body = { format: 'docx', frame: 'wood', time_zone: 'Mars/Base', part: 0 };
  const refused = await api.post(`screenshot_sets/${set.id}/exports`, body);
  expect(refused.status).toBe(422);
  expect(Object.keys(refused.json.errors).toSorted()).toEqual(['format', 'frame', 'part', 'time_zone']);
  expect((await api.post(`screenshot_sets/${set.id}/exports`, { format: 'pdf', part: 2 })).json.errors.part).toEqual([
    'must be at most 1: the set has 1 pictures.',
  ]);
});

test('an export, its set and its file are unknown to other organizations and other tokens', async () => {
  const unknown = '00000000-0000-4000-8000-000000000000';
  expect((await api.get(`exports/${unknown}`)).status).toBe(404);
  expect((await api.post(`screenshot_sets/${unknown}/exports`, { format: 'pdf' })).status).toBe(404);
  expect((await api.send({ path: `/e/${'A'.repeat(32)}/a.pdf` })).status).toBe(404);
  expect((await api.send({ path: '/e/short/a.pdf' })).status).toBe(404);
});

test('an export says whether its frames have a label, and is another one only if it has frames', async () => {
  const { id } = await newSet();
  const request = async (options: object) =>
    (await api.post(`screenshot_sets/${id}/exports`, { format: 'pdf', ...options })).json;
  expect((await request({ label: false })).id).toBe((await request({})).id);
  const [labelled, plain] = [await request({ frame: 'browser' }), await request({ frame: 'browser', label: false })];
  expect([labelled.options.label, plain.options.label]).toEqual([true, false]);
  expect(plain.id).not.toBe(labelled.id);
});

test('an organization has a limited number of open exports', async () => {
  const { db } = api.store;
  await sql`update exports set status = 'failed' where status in ('pending', 'building')`.execute(db);
  const set = await newSet(1);
  const statuses: number[] = [];
  for (let part = 0; part < 21; part += 1) {
    const zone = Intl.supportedValuesOf('timeZone')[part] ?? 'UTC';
    statuses.push((await api.post(`screenshot_sets/${set.id}/exports`, { format: 'pdf', time_zone: zone })).status);
  }
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 202), 429]);
});

test('a screenshot is served in a frame, which is drawn once and leaves the original as it is', async () => {
  const set = await newSet(1);
  const [token = ''] = set.tokens;
  const original = await sharp(files.get([...files.keys()].at(-1) ?? '')).metadata();
  const before = files.size;
  const framed = await fetch(`${api.url}/i/${token}.png?frame=browser`);
  expect(framed.status).toBe(200);
  const { width = 0, height = 0 } = await sharp(Buffer.from(await framed.arrayBuffer())).metadata();
  expect([width, height]).toEqual([original.width + 2, original.height + 46]);
  expect(files.size).toBe(before + 1);
  const etag = framed.headers.get('etag') ?? '';
  const again = await fetch(`${api.url}/i/${token}.png?frame=browser`, { headers: { 'if-none-match': etag } });
  expect(again.status).toBe(304);
  expect(files.size).toBe(before + 1);
  const plain = await api.send({ path: `/i/${token}.png` });
  expect(plain.headers.etag).toBe(`"${set.sums[0]}"`);
  const unlabelled = await fetch(`${api.url}/i/${token}.png?frame=browser&label=false`);
  expect(unlabelled.status).toBe(200);
  expect(unlabelled.headers.get('etag')).not.toBe(etag);
  expect(files.size).toBe(before + 2);
  for (const query of ['frame=wood', 'frame=browser&label=no'])
    expect((await api.send({ path: `/i/${token}.png?${query}` })).status, query).toBe(422);
});

test('branding is read, replaced and used by the next export', async () => {
  expect((await api.get('branding')).json).toMatchObject({ brand_name: null, page_size: '16:9', logo: null });
  const changed = await put(
    'branding',
    JSON.stringify({ brand_name: 'Acme Media', accent_color: '#0A7D5C', page_size: 'a4' }),
  );
  expect(changed.json).toMatchObject({
    brand_name: 'Acme Media',
    accent_color: '#0a7d5c',
    footer_text: null,
    page_size: 'a4',
  });
  const refused = await put('branding', JSON.stringify({ accent_color: 'red', footer_text: 'x'.repeat(301) }));
  expect(Object.keys(refused.json.errors).toSorted()).toEqual(['accent_color', 'footer_text']);
  await sql`update exports set status = 'failed' where status = 'pending'`.execute(api.store.db);
  const set = await newSet(1);
  const made = await api.post(`screenshot_sets/${set.id}/exports`, { format: 'pptx' });
  expect(made.json.options.page_size).toBe('a4');
  await put('branding', JSON.stringify({ brand_name: 'Other' }));
  expect((await api.post(`screenshot_sets/${set.id}/exports`, { format: 'pptx', page_size: 'a4' })).json.id).not.toBe(
    made.json.id,
  );
});

test('an SVG that is slow to draw is rejected with 422, and says what to do', async () => {
  const { status, json } = await put('branding/logo', SLOW_SVG, 'image/svg+xml');
  expect(status).toBe(422);
  expect(json.errors).toEqual({ body: ['took longer than 10 s to draw: simplify it, or send it as a PNG.'] });
});

test('a logo is stored as a PNG of limited size, and other files are refused', async () => {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="4000" height="1000"><rect width="4000" height="1000" fill="red"/></svg>';
  const set = await put('branding/logo', svg, 'image/svg+xml');
  expect(set.status).toBe(200);
  expect(set.json.logo).toMatchObject({ width: 1_200, height: 300 });
  const served = await fetch(`${api.url}${new URL(set.json.logo.url).pathname}`);
  expect((await sharp(Buffer.from(await served.arrayBuffer())).metadata()).format).toBe('png');
  for (const bad of ['not a picture', '', '<svg xmlns="http://www.w3.org/2000/svg" width="90000" height="90000"/>']) {
    expect((await put('branding/logo', bad, 'image/png')).status).toBe(422);
  }
  expect((await put('branding/logo', Buffer.alloc(1024 * 1024 + 1), 'image/png')).status).toBe(413);
  expect((await api.get('branding')).json.logo.url).toBe(set.json.logo.url);
  const removed = await api.send({
    method: 'DELETE',
    path: '/api/v1/orgs/acme/branding/logo',
    headers: { authorization: `Bearer ${api.organization.api_key}` },
  });
  expect(removed.json.logo).toBeNull();
});

test('the logo of a client makes a new file of its campaign and its sets, and is removed with the campaign', async () => {
  const ad = { media: { type: 'url', content: 'https://cdn.example/c.png' } };
  const { campaign_id: campaignId } = (await api.post('ads', { campaign: { name: 'Client' }, ad })).json;
  const set = await insertExportSet({ db: api.store.db, artifacts, organization: { ...organization, campaignId } }, [
    {},
  ]);
  await sql`update exports set status = 'failed' where status = 'pending'`.execute(api.store.db);
  await sql`update ads set status = 'uploaded' where campaign_id = ${campaignId}`.execute(api.store.db);
  const path = `campaigns/${campaignId}/logo`;
  const remove = (at: string) =>
    api.send({
      method: 'DELETE',
      path: `/api/v1/orgs/acme/${at}`,
      headers: { authorization: `Bearer ${api.organization.api_key}` },
    });
  const fileIds = async () => {
    const owners = [`screenshot_sets/${set.id}`, `campaigns/${campaignId}`];
    return Promise.all(owners.map(async (owner) => (await api.post(`${owner}/exports`, { format: 'pdf' })).json.id));
  };
  const statusOf = async (url: string) => (await api.send({ path: new URL(url).pathname })).status;
  const none = { type: 'campaign_logo', campaign_id: campaignId, logo: null };
  expect((await api.get(path)).json).toEqual(none);
  const before = await fileIds();
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="10"><rect width="40" height="10"/></svg>';
  const first = await put(path, svg, 'image/svg+xml');
  expect([first.status, first.json]).toMatchObject([200, { ...none, logo: { width: 320, height: 80 } }]);
  expect((await api.get(path)).json).toEqual(first.json);
  expect(await statusOf(first.json.logo.url)).toBe(200);
  const after = await fileIds();
  expect(after.filter((id) => before.includes(id))).toEqual([]);
  const refused = await put(path, 'not a picture', 'image/png');
  expect([refused.status, Object.keys(refused.json.errors)]).toEqual([422, ['body']]);
  const second = await put(path, svg, 'image/svg+xml');
  expect([await statusOf(first.json.logo.url), await statusOf(second.json.logo.url)]).toEqual([410, 200]);
  expect((await remove(path)).json).toEqual(none);
  expect(await fileIds()).toEqual(before);
  const third = await put(path, svg, 'image/svg+xml');
  await sql`update exports set status = 'failed' where status = 'pending'`.execute(api.store.db);
  expect((await remove(`campaigns/${campaignId}`)).status).toBe(204);
  expect(await statusOf(third.json.logo.url)).toBe(410);
  expect((await put(path, svg, 'image/svg+xml')).status).toBe(410);
});
