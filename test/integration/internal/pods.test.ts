/** The rights of a pod in a cluster: its token binds it to one index of one job. A fake reviews the tokens. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { podTokenAuthenticator } from '../../../src/api/auth/podTokens.ts';
import { frameKey, screenshotKey } from '../../../src/api/transfers/transfers.ts';
import type { FolderArtifactStore } from '../../../src/artifacts/folder.ts';
import type { Attempt, ClaimedCreative, DeclaredUploads } from '../../../src/contract/captureProtocol.ts';
import { admitWaiting } from '../../../src/core/jobs/admission.ts';
import { findJobAccess } from '../../../src/core/jobs/jobAccess.ts';
import type { Store } from '../../../src/db/database.ts';
import { withContent } from '../../../src/domain/pictureKeys.ts';
import { type CaptureClient, captureClient, PNG_FACTS, uploadPng } from '../../support/captureClient.ts';
import { eventually } from '../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, type TestOrganization } from '../../support/insertRows.ts';
import { required } from '../../support/required.ts';
import { startTestInternalApi, type TestInternalApi } from '../../support/testInternalApi.ts';
import { expectLoggedErrors, TEST_LOG } from '../../support/testLog.ts';

const LIMITS = { maxPods: 10, maxPodsPerOrganization: 10, parallelism: 2, setDeadlineSeconds: 600 };
const SUBJECT = 'system:serviceaccount:ads:capture';
const AUDIENCE = 'tearsheet-internal';

let internalApi: TestInternalApi;
let store: Store;
let organization: TestOrganization;
let internalUrl: string;
let artifacts: FolderArtifactStore;
let isDown = false;
/** The counts, and the log lines of rejections. */
let phases: object[];
let creatives: object[];
let logged: string[];

/** Says yes to everything, and that the pod is the one that the token claims. */
async function review(token: string) {
  if (isDown) throw new Error('connect ECONNREFUSED 10.96.0.1:443');
  const { name, uid } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const extra = { 'authentication.kubernetes.io/pod-name': [name], 'authentication.kubernetes.io/pod-uid': [uid] };
  return { status: { authenticated: true, audiences: [AUDIENCE], user: { username: SUBJECT, extra } } };
}

beforeEach(async () => {
  isDown = false;
  phases = [];
  creatives = [];
  logged = [];
  internalApi = await startTestInternalApi(({ db }) => ({
    authenticator: podTokenAuthenticator({
      review,
      namespace: 'ads',
      serviceAccount: 'capture',
      audience: AUDIENCE,
      log: TEST_LOG,
      findAccess: (id) => findJobAccess(db, id),
    }),
    log: { ...TEST_LOG, info: (_fields: object, message: string) => void logged.push(message) },
    observe: {
      phases: (seconds) => void phases.push(seconds),
      creative: (rendered) => void creatives.push(rendered),
    },
  }));
  ({ store, artifacts, internalUrl } = internalApi);
  organization = await insertOrganization(store.db);
});

afterEach(async () => {
  vi.useRealTimers();
  await internalApi.close();
});

/** Stops the clock of the rate limits, so that no token comes back during a test. */
const stopRateLimitClock = () => vi.useFakeTimers({ toFake: ['performance'] });

interface Job {
  readonly id: string;
  /** A capture in a pod of the given index. */
  pod(uid: string, index?: number): CaptureClient;
}

/** A set of one ad on two sites, an index each. */
async function job(): Promise<Job> {
  const adId = await insertAd(store.db, organization);
  const pictures = [0, 1].map((i) => ({ adId, site: `https://news-${i}.example/` }));
  await insertSet(store.db, organization, { pictures });
  const [admitted] = (await store.db.transaction().execute((tx) => admitWaiting(tx, LIMITS, { reached: [] }))).admitted;
  const id = admitted?.jobId ?? '';
  const name = (await findJobAccess(store.db, id))?.name;
  return { id, pod: (uid, index = 0) => captureClient(internalUrl, id, tokenOf(`${name}-1-${index}-abcde`, uid)) };
}

function tokenOf(name: string, uid: string): string {
  const claims = { aud: [AUDIENCE], sub: SUBJECT, exp: Date.now() / 1000 + 600, name, uid };
  return `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
}

const open = (client: CaptureClient, pod: string, index = 0) =>
  client.call<Attempt>(`indexes/${index}/attempts`, { pod });
const BOUND = { index: 0, attempt: 1 };

test('A pod can open only the attempt of its own index, in its own name', async () => {
  const { pod } = await job();
  expect(await open(pod('uid-1'), 'uid-1')).toMatchObject({ status: 200, body: { attempt: 1 } });
  expect((await open(pod('uid-1'), 'uid-2')).status).toBe(403);
  expect((await open(pod('uid-1'), 'uid-1', 1)).status).toBe(403);
});

test('Every call of a pod from another job is rejected', async () => {
  const [mine, theirs] = [await job(), await job()];
  const name = (await findJobAccess(store.db, mine.id))?.name;
  const stranger = captureClient(internalUrl, theirs.id, tokenOf(`${name}-1-0-abcde`, 'uid-1'));
  for (const call of ['indexes/0/attempts', 'creatives/claim', 'screenshots/results', 'indexes/0/finish']) {
    expect((await stranger.call(call, { ...BOUND, pod: 'uid-1' })).status).toBe(403);
  }
});

test('A pod cannot write for another index of its job', async () => {
  const { pod } = await job();
  await open(pod('uid-1', 1), 'uid-1', 1);
  const other = pod('uid-0', 0);
  const bound = { index: 1, attempt: 1 };
  expect((await other.call('creatives/claim', bound)).status).toBe(403);
  expect((await other.call('creatives/wait', { ...bound, ads: [organization.id], timeout_ms: 0 })).status).toBe(403);
  expect((await other.call(`creatives/${organization.id}/renew`, bound)).status).toBe(403);
  expect((await other.call(`creatives/${organization.id}/release`, bound)).status).toBe(403);
  expect((await other.call('indexes/1/finish', { attempt: 1, phases: {} })).status).toBe(403);
});

test('A pod whose index another one has taken over is superseded, although it names the new attempt', async () => {
  const { pod } = await job();
  await open(pod('uid-1'), 'uid-1');
  expect(await open(pod('uid-2'), 'uid-2')).toMatchObject({ body: { attempt: 2 } });
  const late = { index: 0, attempt: 2 };
  expect((await pod('uid-1').call('creatives/claim', late)).status).toBe(409);
  expect((await pod('uid-1').call('indexes/0/finish', { attempt: 2, phases: {} })).status).toBe(409);
  expect((await pod('uid-2').call('creatives/claim', late)).status).toBe(200);
});

test('While the API server is unreachable, a pod gets 503, so that it repeats the call', async () => {
  expectLoggedErrors(/TokenReview failed|a call of the capture protocol failed/);
  const { pod } = await job();
  isDown = true;
  expect(await open(pod('uid-1'), 'uid-1')).toMatchObject({ status: 503, body: { error: 'unavailable' } });
  isDown = false;
  expect((await open(pod('uid-1'), 'uid-1')).status).toBe(200);
});

test('The result of a picture or frame without its upload is rejected', async () => {
  const { id: jobId, pod } = await job();
  const capture = pod('uid-1');
  const id = (await open(capture, 'uid-1')).body.pages[0]?.screenshots[0]?.id ?? '';
  const key = withContent(screenshotKey(id, 1), PNG_FACTS.sha256);
  const taken = { id, status: 'uploaded', key, ...PNG_FACTS, captured_at: new Date().toISOString(), record: {} };
  const results = { ...BOUND, results: [taken] };
  const refused = await capture.call<{ message: string }>('screenshots/results', results);
  expect(refused).toMatchObject({ status: 422, body: { message: `Nothing was uploaded under ${key}.` } });
  const { creative } = (await capture.call<ClaimedCreative>('creatives/claim', BOUND)).body;
  const owner = { jobId, adId: creative?.ad_id ?? '', ...BOUND };
  const frames = creative?.wanted.map((frame) => ({
    ...frame,
    key: withContent(frameKey(owner, frame), PNG_FACTS.sha256),
    ...PNG_FACTS,
  }));
  const kind = { status: 'uploaded', format: 'tag', category: 'display', mode: 'stepped', notes: [] };
  const result = { ...kind, width: 300, height: 250, frames };
  const rendered = { ...BOUND, seconds: 1, result };
  expect((await capture.call(`creatives/${creative?.ad_id}/result`, rendered)).status).toBe(422);
  const declare = async (path: string, body: object) => (await capture.call<DeclaredUploads>(path, body)).body;
  expect(await uploadPng(declare, BOUND, [{ kind: 'screenshot', id }])).toEqual([key]);
  expect((await capture.call('screenshots/results', results)).status).toBe(200);
});

test('Very long texts are cut before they are stored', async () => {
  const { pod } = await job();
  const { body } = await open(pod('uid-1'), 'uid-1');
  const id = body.pages[0]?.screenshots[0]?.id ?? '';
  const results = [{ id, status: 'no_slots', reason: '😀'.repeat(10_000) }];
  expect((await pod('uid-1').call('screenshots/results', { ...BOUND, results })).status).toBe(200);
  const stored = await store.db.selectFrom('screenshots').select('reason').where('id', '=', id).executeTakeFirst();
  expect(stored?.reason).toBe('😀'.repeat(4_000));
});

test('The API looks up no more frames than were requested, however many a pod names', async () => {
  const { id: jobId, pod } = await job();
  const capture = pod('uid-1');
  await open(capture, 'uid-1');
  const { creative } = (await capture.call<ClaimedCreative>('creatives/claim', BOUND)).body;
  const wanted = required(creative?.wanted[0]);
  const owner = { jobId, adId: creative?.ad_id ?? '', ...BOUND };
  const frame = { ...wanted, key: withContent(frameKey(owner, wanted), PNG_FACTS.sha256), ...PNG_FACTS };
  const looks = vi.spyOn(artifacts, 'sizeOf');
  const kind = { status: 'uploaded', format: 'tag', category: 'display', mode: 'stepped', notes: [] };
  const result = { ...kind, width: 300, height: 250, frames: Array.from({ length: 5_000 }, () => frame) };
  const refused = await capture.call(`creatives/${creative?.ad_id}/result`, { ...BOUND, seconds: 1, result });
  expect(refused).toMatchObject({ status: 422, body: { message: 'There are more frames than were asked for.' } });
  expect(looks).not.toHaveBeenCalled();
});

test('A pod that waits a hundred times at once gets errors that allow a retry, and blocks no other pod', async () => {
  const { pod } = await job();
  await open(pod('uid-1'), 'uid-1');
  await open(pod('uid-2', 1), 'uid-2', 1);
  const { creative } = (await pod('uid-2', 1).call<ClaimedCreative>('creatives/claim', { index: 1, attempt: 1 })).body;
  const wait = { ...BOUND, ads: [creative?.ad_id], timeout_ms: 20_000 };
  const statuses: number[] = [];
  const waits = Array.from({ length: 100 }, async () => {
    const { status } = await pod('uid-1').call('creatives/wait', wait);
    statuses.push(status);
  });
  const count = (wanted: number) => statuses.filter((status) => status === wanted).length;
  // More than these where many arrive before it is known of which job the pod is.
  await eventually(() => expect(count(503)).toBeGreaterThanOrEqual(36));
  const bound = { index: 1, attempt: 1 };
  const failed = { ...bound, seconds: 1, result: { status: 'not_found', reason: 'gone' } };
  expect((await pod('uid-2', 1).call(`creatives/${creative?.ad_id}/result`, failed)).status).toBe(200);
  await Promise.all(waits);
  expect(count(200)).toBeGreaterThan(0);
  expect(count(200) + count(503)).toBe(100);
});

test('The message about faults has a bounded length, however many a pod makes', async () => {
  const { pod } = await job();
  const results = Array.from({ length: 1_000 }, () => ({ status: 'uploaded' }));
  const refused = await pod('uid-1').call<{ message: string }>('screenshots/results', { ...BOUND, results });
  expect(refused.status).toBe(422);
  expect(refused.body.message.length).toBeLessThanOrEqual(2_000);
  expect(refused.body.message).toContain('results');
});

test('An index and a creative that are reported repeatedly count once in the metrics', async () => {
  const { pod } = await job();
  await open(pod('uid-1'), 'uid-1');
  const { creative } = (await pod('uid-1').call<ClaimedCreative>('creatives/claim', BOUND)).body;
  const failed = { ...BOUND, seconds: 86_400, result: { status: 'not_found', reason: 'gone' } };
  const report = () => pod('uid-1').call(`creatives/${creative?.ad_id}/result`, failed);
  for (let i = 0; i < 3; i++) expect((await report()).status).toBe(200);
  expect(creatives).toEqual([{ status: 'not_found', seconds: 86_400 }]);
  const finish = () => pod('uid-1').call('indexes/0/finish', { attempt: 1, phases: { navigate: 86_400 } });
  for (let i = 0; i < 3; i++) expect((await finish()).status).toBe(200);
  expect(phases).toEqual([{ navigate: 86_400 }]);
});

test('A pod that sends the maximum repeatedly does not block the API for others', async () => {
  stopRateLimitClock();
  const { pod } = await job();
  await open(pod('uid-1'), 'uid-1');
  const results = Array.from({ length: 80 }, () => ({ status: 'x'.repeat(100_000) }));
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++)
    statuses.push((await pod('uid-1').call('screenshots/results', { ...BOUND, results })).status);
  expect(statuses).toEqual([422, 422, 503, 503]);
  expect((await open(pod('uid-2', 1), 'uid-2', 1)).status).toBe(200);
});

test('Repeated rejections of a client do not fill the log', async () => {
  stopRateLimitClock();
  const { id } = await job();
  const stranger = captureClient(internalUrl, id, 'made up');
  for (let i = 0; i < 150; i++) expect((await open(stranger, 'uid')).status).toBe(401);
  expect(logged).toHaveLength(100);
});
