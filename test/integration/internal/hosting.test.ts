/** Hosting in the capture protocol: which capture gets which set, and whose token is valid for it. The tests play the captures. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { issueJobToken } from '../../../src/api/auth/jobToken.ts';
import type { Attempt, GuestAnswer } from '../../../src/contract/captureProtocol.ts';
import type { Store } from '../../../src/store/database/database.ts';
import { findJobAccess } from '../../../src/store/jobs/hosting.ts';
import { type AdmissionLimits, admitWaiting } from '../../../src/workflow/admission.ts';
import { type CaptureClient, captureClient } from '../../support/captureClient.ts';
import { eventually } from '../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, type TestOrganization } from '../../support/insertRows.ts';
import { required } from '../../support/required.ts';
import { simulateIndex } from '../../support/simulatedIndex.ts';
import { startTestInternalApi, type TestInternalApi } from '../../support/testInternalApi.ts';

const LIMITS: AdmissionLimits = {
  ...{ maxPods: 10, maxPodsPerOrganization: 10, parallelism: 2, setDeadlineSeconds: 600 },
  smallSets: { captures: 1, waitSeconds: 600, lingerSeconds: 60 },
};
const EVENTS = { queue: { enqueue: async () => undefined }, publicUrl: 'https://tearsheet.example' };

let api: TestInternalApi;
let store: Store;
let organization: TestOrganization;

beforeEach(async () => {
  // A capture without a guest waits until the test admits.
  api = await startTestInternalApi(() => ({ lingerSeconds: 60 }));
  store = api.store;
  organization = await insertOrganization(store.db);
});

afterEach(() => api.close());

const admit = async (limits = LIMITS) =>
  (await store.db.transaction().execute((tx) => admitWaiting(tx, limits))).admitted;
const insertSmallSet = async (owner = organization, pages = 1) => {
  const adId = await insertAd(store.db, owner);
  const pictures = Array.from({ length: pages }, (_, page) => ({ adId, site: `https://site-${page}.example/` }));
  return insertSet(store.db, owner, { pictures });
};
const clientOf = (jobId: string, tokenJob = jobId): CaptureClient =>
  captureClient(api.internalUrl, jobId, issueJobToken(api.secret, tokenJob, new Date(Date.now() + 600_000)));
const jobOf = (id: string) =>
  store.db.selectFrom('screenshot_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const indexOf = (id: string) =>
  store.db
    .selectFrom('job_indexes')
    .selectAll()
    .where('job_id', '=', id)
    .where('index', '=', 0)
    .executeTakeFirstOrThrow();
const ask = async (client: CaptureClient, timeout_ms = 20_000) =>
  (await client.call<GuestAnswer>('indexes/0/next', { attempt: 1, timeout_ms })).body;
const isIdle = (id: string) => eventually(async () => expect((await indexOf(id)).idle_since).not.toBeNull());

interface Host {
  readonly id: string;
  readonly client: CaptureClient;
}

/** Admits a new small set, and does its work, so that its capture may host. */
async function startHost(owner = organization): Promise<Host> {
  await insertSmallSet(owner);
  const [admitted] = await admit({ ...LIMITS, smallSets: { captures: 9, waitSeconds: 600, lingerSeconds: 60 } });
  const id = required(admitted).jobId;
  const client = clientOf(id);
  const { body } = await client.call<Attempt>('indexes/0/attempts', { pod: `pod-${id}-0`, hosts: true });
  expect(body).toMatchObject({ attempt: 1, hosting: true });
  await simulateIndex(store.db, { jobId: id, index: 0, eventContext: EVENTS });
  await client.call('indexes/0/finish', { attempt: 1, phases: {} });
  return { id, client };
}

/** The host gets a guest. @returns the id of the guest's job. */
async function startGuest({ id, client }: Host): Promise<string> {
  await insertSmallSet();
  const asked = ask(client);
  await isIdle(id);
  const [admitted] = await admit();
  expect(admitted?.host).toBe(id);
  expect(await asked).toEqual({ guest: { job: admitted?.jobId }, hosting: true });
  return required(admitted).jobId;
}

test('a capture that asks gets a waiting small set of its organization, and works on it with its own token', async () => {
  const host = await startHost();
  const guest = await startGuest(host);
  expect(await jobOf(guest)).toMatchObject({ host_job_id: host.id, host_index: 0, host_pod: `pod-${host.id}-0` });
  const hosted = clientOf(guest, host.id);
  const { status, body } = await hosted.call<Attempt>('indexes/0/attempts', { pod: `pod-${host.id}-0`, hosts: true });
  expect(status).toBe(200);
  expect(body).toMatchObject({ attempt: 1, done: false, hosting: false });
  expect(body.pages).toHaveLength(1);
});

test('a capture that asks again before it has finished its guest gets the same guest', async () => {
  const host = await startHost();
  const guest = await startGuest(host);
  expect(await ask(host.client)).toEqual({ guest: { job: guest }, hosting: true });
});

test('two captures that ask at once get different sets', async () => {
  const hosts = [await startHost(), await startHost()];
  await insertSmallSet();
  await insertSmallSet();
  const asked = hosts.map(({ client }) => ask(client));
  for (const { id } of hosts) await isIdle(id);
  await Promise.all([admit(), admit()]);
  const given = (await Promise.all(asked)).map(({ guest }) => guest?.job);
  expect(new Set(given).size).toBe(2);
  expect(given).not.toContain(undefined);
});

test('of two captures that ask for one set, only one gets it', async () => {
  const hosts = [await startHost(), await startHost()];
  await insertSmallSet();
  const asked = hosts.map(({ client }) => ask(client));
  for (const { id } of hosts) await isIdle(id);
  await Promise.all([admit(), admit()]);
  // Only one capture may linger without a guest.
  await admit({ ...LIMITS, smallSets: { captures: 1, waitSeconds: 600, lingerSeconds: 0 } });
  const answers = await Promise.all(asked);
  expect(answers.filter(({ guest }) => guest !== null)).toHaveLength(1);
  expect(answers.filter(({ hosting }) => !hosting)).toHaveLength(1);
});

test('a capture never gets the set of another organization', async () => {
  const host = await startHost();
  const other = await insertOrganization(store.db);
  await insertSmallSet(other);
  const asked = ask(host.client);
  await isIdle(host.id);
  const [admitted] = await admit();
  expect(admitted?.host).toBeUndefined();
  // The other organization's capture takes the place of the idle one.
  expect(await asked).toEqual({ guest: null, hosting: false });
  expect((await jobOf(required(admitted).jobId)).host_job_id).toBeNull();
});

test('the token of a capture is valid for its own job and its guest, and for no other job', async () => {
  const host = await startHost();
  const guest = await startGuest(host);
  const bystander = await startHost();
  const foreign = await startHost(await insertOrganization(store.db));
  for (const [job, token] of [
    [guest, bystander.id],
    [guest, foreign.id],
    [bystander.id, host.id],
    [host.id, guest],
  ] as const)
    expect((await clientOf(job, token).call('indexes/0/attempts', { pod: 'pod' })).status).toBe(401);
});

test('the access of a host ends when another capture opens its index', async () => {
  const host = await startHost();
  const guest = await startGuest(host);
  expect((await findJobAccess(store.db, guest))?.host).toEqual({ jobId: host.id, pod: `pod-${host.id}-0` });
  await host.client.call('indexes/0/attempts', { pod: 'its retry' });
  expect((await findJobAccess(store.db, guest))?.host).toBeUndefined();
  expect((await clientOf(guest, host.id).call('indexes/0/attempts', { pod: 'its retry' })).status).toBe(401);
});

test('a guest cannot host', async () => {
  const host = await startHost();
  const guest = await startGuest(host);
  const hosted = clientOf(guest, host.id);
  await hosted.call('indexes/0/attempts', { pod: `pod-${host.id}-0` });
  expect((await hosted.call('indexes/0/next', { attempt: 1, timeout_ms: 0 })).status).toBe(403);
});

test('a large set is no guest, and its captures do not host', async () => {
  const host = await startHost();
  await insertSmallSet(organization, 5);
  const asked = ask(host.client);
  await isIdle(host.id);
  const [admitted] = await admit();
  expect(admitted?.host).toBeUndefined();
  expect(await asked).toEqual({ guest: null, hosting: false });
  const large = clientOf(required(admitted).jobId);
  expect((await large.call<Attempt>('indexes/0/attempts', { pod: 'p', hosts: true })).body.hosting).toBe(false);
});

test('a guest with several pages has one index', async () => {
  const host = await startHost();
  await insertSmallSet(organization, 3);
  const asked = ask(host.client);
  await isIdle(host.id);
  await admit();
  const guest = (await asked).guest?.job ?? '';
  const { body } = await clientOf(guest, host.id).call<Attempt>('indexes/0/attempts', { pod: `pod-${host.id}-0` });
  expect(body.pages).toHaveLength(3);
  expect((await jobOf(guest)).indexes).toBe(1);
});

test('a capture that leaves is counted no longer, and gets no set', async () => {
  const host = await startHost();
  await store.db.updateTable('screenshot_jobs').set({ settled_at: new Date() }).where('id', '=', host.id).execute();
  await insertSmallSet();
  // The capture may still ask, so the set waits for it.
  expect(await admit()).toEqual([]);
  expect((await host.client.call('indexes/0/hosting', { attempt: 1, ends: true })).body).toEqual({ hosting: false });
  const [admitted] = await admit();
  expect(admitted).toBeDefined();
  expect(admitted?.host).toBeUndefined();
  expect(await ask(host.client)).toEqual({ guest: null, hosting: false });
});

test('hosts count against the limits', async () => {
  const host = await startHost();
  await store.db.updateTable('screenshot_jobs').set({ settled_at: new Date() }).where('id', '=', host.id).execute();
  await insertSmallSet(await insertOrganization(store.db));
  expect(await admit({ ...LIMITS, maxPods: 1 })).toEqual([]);
  await host.client.call('indexes/0/hosting', { attempt: 1, ends: true });
  expect(await admit({ ...LIMITS, maxPods: 1 })).toHaveLength(1);
});

test('an idle host ends if a Job waits for a place in the cluster', async () => {
  const host = await startHost();
  await insertSmallSet(await insertOrganization(store.db));
  const [stuck] = await admit();
  const launched_at = new Date(Date.now() - 3_600_000);
  await store.db.updateTable('screenshot_jobs').set({ launched_at }).where('id', '=', required(stuck).jobId).execute();
  await insertSmallSet();
  const asked = ask(host.client);
  await isIdle(host.id);
  const [admitted] = await admit();
  expect(admitted?.host).toBeUndefined();
  expect(await asked).toEqual({ guest: null, hosting: false });
});

test('a capture whose own job has an index that has not started ends at once', async () => {
  await insertSmallSet(organization, 4);
  const [admitted] = await admit({ ...LIMITS, pagesPerIndex: 1 });
  const id = required(admitted).jobId;
  const client = clientOf(id);
  await client.call<Attempt>('indexes/0/attempts', { pod: `pod-${id}-0`, hosts: true });
  await simulateIndex(store.db, { jobId: id, index: 0, eventContext: EVENTS });
  await client.call('indexes/0/finish', { attempt: 1, phases: {} });
  expect((await jobOf(id)).indexes).toBeGreaterThan(1);
  expect(await ask(client)).toEqual({ guest: null, hosting: false });
  expect((await indexOf(id)).hosting_until).toBeNull();
});
