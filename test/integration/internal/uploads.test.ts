/** The limits of a hijacked capture that has upload addresses, in a bucket and in a folder. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { issueJobToken } from '../../../src/api/auth/jobToken.ts';
import { openArtifacts } from '../../../src/artifacts/open.ts';
import type { ArtifactStore } from '../../../src/artifacts/store.ts';
import type {
  Attempt,
  ClaimedCreative,
  DeclaredUploads,
  ResolvedCreatives,
} from '../../../src/contract/captureProtocol.ts';
import { optionsToJson } from '../../../src/contract/storedOptions.ts';
import { admitWaiting } from '../../../src/core/jobs/admission.ts';
import { settleJob } from '../../../src/core/jobs/settlement.ts';
import { sweepFiles } from '../../../src/core/removal/removedFiles.ts';
import type { Store } from '../../../src/db/database.ts';
import type { Animation } from '../../../src/domain/animations.ts';
import { DEFAULT_OPTIONS } from '../../../src/domain/screenshotOptions.ts';
import { type CaptureClient, captureClient, PNG, PNG_FACTS } from '../../support/captureClient.ts';
import { insertAd, insertOrganization, insertSet } from '../../support/insertRows.ts';
import { required } from '../../support/required.ts';
import { type S3Server, startS3Server } from '../../support/s3Server.ts';
import { startTestInternalApi } from '../../support/testInternalApi.ts';

const LIMITS = { maxPods: 10, maxPodsPerOrganization: 10, parallelism: 2, setDeadlineSeconds: 600 };
const BOUND = { index: 0, attempt: 1 };
const MOST = 1_000;

let server: S3Server;
let store: Store;
let artifacts: ArtifactStore;
let internalUrl: string;
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  server = await startS3Server();
}, 900_000);
afterAll(() => server?.close());
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function bucket(): Promise<ArtifactStore> {
  const { endpoint, region } = server;
  return openArtifacts(`s3://${await server.createBucket()}`, {
    ...{ endpoint, region, forcePathStyle: true, credentials: server },
  });
}

async function folder(): Promise<ArtifactStore> {
  const place = await mkdtemp(path.join(tmpdir(), 'tearsheet-uploads-'));
  closers.push(() => rm(place, { recursive: true, force: true }));
  return openArtifacts(pathToFileURL(place).href);
}

async function settle(jobId: string): Promise<void> {
  const queue = { enqueue: async () => undefined };
  const context = { publicUrl: 'https://tearsheet.example', queue, resolved: [], reached: [] };
  await store.db.transaction().execute((tx) => settleJob(tx, { jobId, cause: 'canceled' }, context));
}

/** A set of one ad on two sites, an index each, of which the first is begun. */
async function begin(kept: ArtifactStore, animation: Animation | null = null) {
  artifacts = kept;
  const internalApi = await startTestInternalApi(() => ({
    artifacts,
    maxUploadBytes: MOST,
    maxUploadBytesTogether: 2 * MOST,
  }));
  store = internalApi.store;
  internalUrl = internalApi.internalUrl;
  closers.push(
    () => internalApi.close(),
    () => artifacts.close(),
  );
  const organization = await insertOrganization(store.db);
  const adId = await insertAd(store.db, organization);
  const options = optionsToJson({ ...DEFAULT_OPTIONS, animation });
  const pictures = [0, 1].map((i) => ({ adId, site: `https://news-${i}.example/`, options }));
  const setId = await insertSet(store.db, organization, { pictures });
  const [admitted] = (await store.db.transaction().execute((tx) => admitWaiting(tx, LIMITS, { reached: [] }))).admitted;
  const jobId = admitted?.jobId ?? '';
  const token = issueJobToken(internalApi.secret, jobId, new Date(Date.now() + 60_000));
  const client = captureClient(internalUrl, jobId, token);
  const open = async (index: number) => {
    const { body } = await client.call<Attempt>(`indexes/${index}/attempts`, { pod: `pod-${index}` });
    return required(body.pages[0]?.screenshots[0]);
  };
  const replica = captureClient(await internalApi.startReplica(), jobId, token);
  return { client, replica, jobId, adId, setId, picture: await open(0), ofOther: await open(1) };
}

const factsOf = (png: Buffer) => ({ sha256: createHash('sha256').update(png).digest('hex'), bytes: png.length });
/** Another PNG, as far as anybody looks. */
const another = (seed: number, bytes = PNG.length) =>
  Buffer.concat([PNG.subarray(0, 8), Buffer.alloc(bytes - 8, seed)]);

const declare = (client: CaptureClient, ...uploads: object[]) =>
  client.call<DeclaredUploads & { message: string }>('uploads', { ...BOUND, uploads });
const send = async ({ url, headers }: { url: string; headers: Record<string, string> }, png: Buffer) =>
  (await fetch(url, { method: 'PUT', headers, body: new Uint8Array(png) })).status;
const screenshot = (id: string, png: Buffer) => ({ kind: 'screenshot', id, ...factsOf(png) });
const report = (client: CaptureClient, id: string, key: string, png = PNG) => {
  const times = { captured_at: new Date().toISOString(), record: {} };
  const facts = { ...factsOf(png), width: 1, height: 1 };
  return client.call<{ message: string }>('screenshots/results', {
    ...BOUND,
    results: [{ id, status: 'uploaded', key, ...facts, ...times }],
  });
};
/** The picture that a customer sees. */
async function shown(): Promise<Buffer> {
  const { artifact_key } = await store.db.selectFrom('images').select('artifact_key').executeTakeFirstOrThrow();
  return (await artifacts.get(artifact_key)).bytes;
}

describe.each([
  ['a bucket', bucket],
  ['a folder', folder],
])('with pictures in %s', (_, place) => {
  it('an upload address takes the declared bytes, and the result is accepted', async () => {
    const { client, adId, picture } = await begin(await place());
    const { creative } = (await client.call<ClaimedCreative>('creatives/claim', BOUND)).body;
    const frame = { marker_ms: null, ratio: required(creative?.wanted[0]).ratio };
    const declared = [screenshot(picture.id, PNG), { kind: 'frame', ad_id: adId, ...frame, ...factsOf(PNG) }];
    const [first, second] = (await declare(client, ...declared)).body.uploads.map(required);
    for (const address of [first, second]) expect(await send(required(address), PNG)).toBeLessThan(300);
    const kind = { status: 'uploaded', format: 'tag', category: 'display', mode: 'stepped', notes: [] };
    const frames = [{ ...frame, key: second?.key, ...PNG_FACTS }];
    const result = { ...kind, width: 300, height: 250, frames };
    expect((await client.call(`creatives/${adId}/result`, { ...BOUND, seconds: 1, result })).status).toBe(200);
    expect((await report(client, picture.id, required(first).key)).status).toBe(200);
    expect(await shown()).toEqual(PNG);
  });

  it('an upload address rejects all other bytes, of the same length or another', async ({ skip }) => {
    skip(!server.judgesSignatures, 'this server judges no signatures');
    const { client, picture } = await begin(await place());
    const [address] = (await declare(client, screenshot(picture.id, PNG))).body.uploads;
    for (const png of [another(1), another(2, PNG.length + 1), another(3, 20)]) {
      expect(await send(required(address), png)).toBeGreaterThanOrEqual(400);
    }
    expect(await report(client, picture.id, required(address).key)).toMatchObject({ status: 422 });
    expect(await artifacts.sizeOf(required(address).key)).toBeUndefined();
  });

  it('no earlier or later declaration can replace a reported picture', async () => {
    const { client, picture } = await begin(await place());
    const declared = [screenshot(picture.id, PNG), screenshot(picture.id, another(1))];
    const [first, before] = (await declare(client, ...declared)).body.uploads.map(required);
    expect(await send(required(first), PNG)).toBeLessThan(300);
    expect((await report(client, picture.id, required(first).key)).status).toBe(200);
    const [after] = (await declare(client, screenshot(picture.id, another(2)))).body.uploads;
    expect(await send(required(before), another(1))).toBeLessThan(300);
    expect(await send(required(after), another(2))).toBeLessThan(300);
    expect(await shown()).toEqual(PNG);
  });

  it('an animation is kept with its picture, and its frames are not', async () => {
    const { client, adId, jobId, setId, picture } = await begin(await place(), { seconds: 2, fps: 5 });
    const { creative } = (await client.call<ClaimedCreative>('creatives/claim', BOUND)).body;
    expect(creative?.films).toEqual([{ seconds: 2, fps: 5, ratio: 1 }]);
    const film = { kind: 'film', ad_id: adId, seconds: 2, fps: 5, ratio: 1, ...factsOf(PNG) };
    expect((await declare(client, { ...film, fps: 6 })).body.message).toContain('Nobody asked for such a film');
    const files = [PNG, PNG, Buffer.from('RIFF the moving picture'), Buffer.from('GIF89a the same')];
    const moving = (format: string, bytes: Buffer) => ({
      kind: 'animation',
      id: picture.id,
      format,
      ...factsOf(bytes),
    });
    const declared = [screenshot(picture.id, PNG), film, moving('webp', files[2]!), moving('gif', files[3]!)];
    const addresses = (await declare(client, ...declared)).body.uploads.map(required);
    for (const [at, file] of files.entries()) expect(await send(addresses[at]!, file)).toBeLessThan(300);
    const [key, filmKey, webp, gif] = addresses.map((address) => address.key);
    const frame = required(creative?.wanted[0]);
    const [other] = (await declare(client, { kind: 'frame', ad_id: adId, ...frame, ...factsOf(PNG) })).body.uploads;
    await send(required(other), PNG);
    const made = { seconds: 2, fps: 5, ratio: 1, key: filmKey, ...factsOf(PNG), holds: [4, 6] };
    const kind = { status: 'uploaded', format: 'tag', category: 'display', mode: 'stepped', notes: [] };
    const frames = [{ ...frame, key: required(other).key, ...PNG_FACTS }];
    const result = { ...kind, width: 300, height: 250, frames, films: [made] };
    expect((await client.call(`creatives/${adId}/result`, { ...BOUND, seconds: 1, result })).status).toBe(200);
    const waited = await client.call<ResolvedCreatives>('creatives/wait', { ...BOUND, ads: [adId], timeout_ms: 0 });
    expect(waited.body.creatives[0]).toMatchObject({ films: [{ holds: [4, 6], sha256: made.sha256 }] });
    const size = { width: 10, height: 20 };
    const animation = {
      ...{ seconds: 2, fps: 5 },
      webp: { key: webp, ...factsOf(files[2]!), ...size },
      gif: { key: gif, ...factsOf(files[3]!), ...size },
    };
    const taken = { status: 'uploaded', key, ...PNG_FACTS, captured_at: new Date().toISOString(), record: {} };
    const reportMoving = (sent: object) =>
      client.call('screenshots/results', { ...BOUND, results: [{ id: picture.id, ...taken, animation: sent }] });
    expect((await reportMoving({ ...animation, gif: { ...animation.gif, key: webp } })).status).toBe(422);
    expect((await reportMoving(animation)).status).toBe(200);
    await settle(jobId);
    const removed = async () =>
      (await store.db.selectFrom('removed_files').select('key').execute()).map((row) => row.key);
    expect(await removed()).toEqual([filmKey]);
    await store.db.deleteFrom('screenshot_sets').where('id', '=', setId).execute();
    expect(await removed()).toEqual(expect.arrayContaining([key, webp, gif]));
  });

  it('a result with a wrong size is rejected', async () => {
    const { client, picture } = await begin(await place());
    const [address] = (await declare(client, screenshot(picture.id, PNG))).body.uploads;
    await send(required(address), PNG);
    const { key } = required(address);
    const times = { captured_at: new Date().toISOString(), record: {} };
    const lie = { id: picture.id, status: 'uploaded', key, ...PNG_FACTS, bytes: 5, ...times };
    const refused = await client.call<{ message: string }>('screenshots/results', { ...BOUND, results: [lie] });
    expect([refused.status, refused.body.message]).toEqual([
      422,
      `${key} has ${PNG.length} bytes, but 5 were reported.`,
    ]);
  });
});

describe('the page of a failure', () => {
  const facts = { ...PNG_FACTS, key: '' };
  const fail = (client: CaptureClient, id: string, page: object) => {
    const result = { id, status: 'no_slots', reason: 'The page has no ad slot.', page };
    return client.call<{ message: string }>('screenshots/results', { ...BOUND, results: [result] });
  };

  it('a failure names only a page of its own index and attempt, under its own key', async () => {
    const { client, picture, ofOther } = await begin(await folder());
    const page = (id: string, from = id) => ({
      ...{ ...facts, id },
      key: `screenshots/${from}/1-page-${PNG_FACTS.sha256}.png`,
    });
    await artifacts.put(page(ofOther.id).key, PNG, 'image/png');
    const named = await fail(client, picture.id, page(ofOther.id));
    expect([named.status, named.body.message]).toEqual([422, expect.stringContaining('is not of this index')]);
    const taken = await fail(client, picture.id, page(picture.id, ofOther.id));
    expect([taken.status, taken.body.message]).toEqual([422, expect.stringContaining('is not the key of the page')]);
    expect(await store.db.selectFrom('images').select('token').execute()).toEqual([]);
  });

  it('a failure is stored without its page if the artifact store does not have that', async () => {
    const { client, picture } = await begin(await folder());
    const upload = { ...screenshot(picture.id, PNG), kind: 'page' };
    const [address] = (await declare(client, upload)).body.uploads;
    const { key } = required(address);
    expect((await fail(client, picture.id, { ...facts, id: picture.id, key })).status).toBe(200);
    const row = store.db.selectFrom('screenshots').select(['status', 'page_token']).where('id', '=', picture.id);
    expect(await row.executeTakeFirst()).toEqual({ status: 'no_slots', page_token: null });
  });

  it('failures do not wait for an artifact store that does not answer, which is asked once for each page', async () => {
    const slow = await folder();
    const { client, picture } = await begin(slow);
    const asked: string[] = [];
    slow.sizeOf = (key) => {
      asked.push(key);
      return new Promise(() => undefined);
    };
    const key = `screenshots/${picture.id}/1-page-${PNG_FACTS.sha256}.png`;
    const result = {
      ...{ id: picture.id, status: 'no_slots', reason: 'The page has no ad slot.' },
      page: { ...facts, id: picture.id, key },
    };
    const signal = AbortSignal.timeout(10_000);
    const answer = client.call('screenshots/results', { ...BOUND, results: [result, result] });
    const late = once(signal, 'abort').then(() => ({ status: 0 }));
    expect((await Promise.race([answer, late])).status).toBe(200);
    expect(asked).toEqual([key]);
    const row = store.db.selectFrom('screenshots').select(['status', 'page_token']).where('id', '=', picture.id);
    expect(await row.executeTakeFirst()).toEqual({ status: 'no_slots', page_token: null });
  });

  it('the page stays after the job if a capture declares it again after its result', async () => {
    const { client, jobId, picture } = await begin(await folder());
    const upload = { ...screenshot(picture.id, PNG), kind: 'page' };
    const [address] = (await declare(client, upload)).body.uploads;
    await send(required(address), PNG);
    const { key } = required(address);
    expect((await fail(client, picture.id, { ...facts, id: picture.id, key })).status).toBe(200);
    expect((await declare(client, upload)).status).toBe(200);
    await settle(jobId);
    expect(await store.db.selectFrom('removed_files').select('key').execute()).toEqual([]);
    expect(await store.db.selectFrom('images').select('artifact_key').execute()).toEqual([{ artifact_key: key }]);
  });
});

describe('declarations of uploads', () => {
  it('a capture may declare only requested pictures of its index and attempt that are not too large', async () => {
    const { client, adId, picture, ofOther } = await begin(await folder());
    expect((await declare(client, screenshot(ofOther.id, PNG))).body.message).toContain('is not of this index');
    const strange = { kind: 'frame', ad_id: adId, marker_ms: 7, ratio: 1, ...factsOf(PNG) };
    expect((await declare(client, strange)).body.message).toContain('Nobody asked for such a frame');
    const large = { ...screenshot(picture.id, PNG), bytes: MOST + 1 };
    expect((await declare(client, large)).body.message).toContain('too large');
    const uploads = [screenshot(picture.id, PNG)];
    expect((await client.call('uploads', { ...BOUND, attempt: 2, uploads })).status).toBe(409);
  });

  it('repeated declarations of one picture are limited, so that they cannot fill a bucket', async () => {
    const { client, picture } = await begin(await folder());
    const contents = [1, 2, 3, 4].map((seed) => screenshot(picture.id, another(seed)));
    expect((await declare(client, ...contents)).status).toBe(200);
    expect((await declare(client, screenshot(picture.id, another(5)))).body.message).toContain('4 other contents');
    expect((await declare(client, ...contents)).status).toBe(200);
  });

  it('two API processes that take declarations in turn share one limit', async () => {
    const { client, replica, picture } = await begin(await folder());
    const content = (seed: number) => screenshot(picture.id, another(seed));
    expect((await declare(client, content(1), content(2))).status).toBe(200);
    expect((await declare(replica, content(3), content(4))).status).toBe(200);
    for (const api of [client, replica]) {
      expect((await declare(api, content(5))).body.message).toContain('4 other contents');
      expect((await declare(api, content(1), content(4))).status).toBe(200);
    }
  });

  it('two API processes that take declarations at the same time share one limit', async () => {
    const { client, replica, picture } = await begin(await folder());
    const seeds = Array.from({ length: 12 }, (_, i) => i);
    const answers = await Promise.all(
      seeds.map((seed) => declare(seed % 2 === 0 ? client : replica, screenshot(picture.id, another(seed)))),
    );
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(4);
    expect(answers.map(({ status }) => status).filter((status) => status === 422)).toHaveLength(8);
  });

  it('the limit counts each picture alone, and not the rejected calls', async () => {
    const { client, adId, picture } = await begin(await folder());
    const contents = [1, 2, 3, 4, 5].map((seed) => screenshot(picture.id, another(seed)));
    expect((await declare(client, ...contents)).status).toBe(422);
    const { creative } = (await client.call<ClaimedCreative>('creatives/claim', BOUND)).body;
    const frame = { kind: 'frame', ad_id: adId, ...required(creative?.wanted[0]), ...factsOf(PNG) };
    expect((await declare(client, ...contents.slice(1), frame)).status).toBe(200);
  });

  it('a picture that was uploaded and never reported is removed after the job was settled', async () => {
    const { client, jobId, picture } = await begin(await folder());
    const [reported, unreported] = [PNG, another(1)];
    const { uploads } = (await declare(client, screenshot(picture.id, reported), screenshot(picture.id, unreported)))
      .body;
    for (const [index, bytes] of [reported, unreported].entries()) await send(required(uploads[index]), bytes);
    const [key = '', leftKey = ''] = uploads.map((upload) => upload.key);
    const result = { id: picture.id, status: 'uploaded', key, ...PNG_FACTS, captured_at: new Date(), record: {} };
    expect((await client.call('screenshots/results', { ...BOUND, results: [result] })).status).toBe(200);
    await settle(jobId);
    const rows = () => store.db.selectFrom('removed_files').select('key').execute();
    expect(await rows()).toEqual([{ key: leftKey }]);
    // Its upload may still arrive.
    expect(await sweepFiles({ db: store.db, artifacts })).toBe(0);
    expect(await artifacts.sizeOf(leftKey)).toBe(unreported.length);
    await sql`update removed_files set due_at = due_at - interval '20 minutes'`.execute(store.db);
    expect(await sweepFiles({ db: store.db, artifacts })).toBe(1);
    expect(await artifacts.sizeOf(leftKey)).toBeUndefined();
    expect(await artifacts.sizeOf(key)).toBe(reported.length);
    expect(await rows()).toEqual([]);
  });

  it('the declarations of reported pictures are deleted when the job is settled', async () => {
    const { client, jobId, picture } = await begin(await folder());
    const { uploads } = (await declare(client, screenshot(picture.id, PNG))).body;
    const { key } = required(uploads[0]);
    await send(required(uploads[0]), PNG);
    const result = { id: picture.id, status: 'uploaded', key, ...PNG_FACTS, captured_at: new Date(), record: {} };
    expect((await client.call('screenshots/results', { ...BOUND, results: [result] })).status).toBe(200);
    await settle(jobId);
    for (const table of ['declared_uploads', 'removed_files'] as const)
      expect(await store.db.selectFrom(table).selectAll().execute()).toEqual([]);
  });

  it('a changed upload address is rejected', async () => {
    const { client, picture } = await begin(await folder());
    const [address] = (await declare(client, screenshot(picture.id, PNG))).body.uploads;
    const { url, headers } = required(address);
    const other = factsOf(another(1));
    const at = (change: (url: URL) => void) => {
      const changed = new URL(url);
      change(changed);
      return send({ url: changed.href, headers }, another(1));
    };
    expect(await at((to) => to.searchParams.set('sha256', other.sha256))).toBe(403);
    expect(await at((to) => to.searchParams.delete('sha256'))).toBe(403);
    expect(await at((to) => (to.pathname = to.pathname.replace('/v2/', '/v1/')))).toBe(404);
  });
});
