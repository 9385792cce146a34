/** Small sets in the capture protocol: which capture takes which set, and whose token is valid for it. The tests play the captures. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { issueJobToken } from '../../../src/api/auth/jobToken.ts';
import type { Attempt, ClaimedSmallSet } from '../../../src/contract/captureProtocol.ts';
import { type AdmissionLimits, admitWaiting } from '../../../src/core/jobs/admission.ts';
import { findJobAccess } from '../../../src/core/jobs/jobAccess.ts';
import { readJob } from '../../../src/core/jobs/jobs.ts';
import type { Store } from '../../../src/db/database.ts';
import { type CaptureClient, captureClient } from '../../support/captureClient.ts';
import { insertAd, insertOrganization, insertSet, type TestOrganization } from '../../support/insertRows.ts';
import { required } from '../../support/required.ts';
import { simulateIndex } from '../../support/simulatedIndex.ts';
import { startTestInternalApi, type TestInternalApi } from '../../support/testInternalApi.ts';

const LIMITS: AdmissionLimits = { maxPods: 10, maxPodsPerOrganization: 10, parallelism: 2, setDeadlineSeconds: 600 };
const EVENTS = { queue: { enqueue: async () => undefined }, publicUrl: 'https://tearsheet.example' };

let api: TestInternalApi;
let store: Store;
let organization: TestOrganization;
/** Admissions that the API asked for. */
let launches: number;

beforeEach(async () => {
  launches = 0;
  api = await startTestInternalApi(() => ({
    queue: {
      enqueue: async () => {
        launches += 1;
      },
    },
  }));
  store = api.store;
  organization = await insertOrganization(store.db);
});

afterEach(() => api.close());

const admit = async (limits = LIMITS) =>
  (await store.db.transaction().execute((tx) => admitWaiting(tx, limits, { reached: [] }))).admitted;
const insertSmallSet = async (owner = organization, pages = 1) => {
  const adId = await insertAd(store.db, owner);
  const pictures = Array.from({ length: pages }, (_, page) => ({ adId, site: `https://site-${page}.example/` }));
  return insertSet(store.db, owner, { pictures });
};
const clientOf = (jobId: string, tokenJob = jobId): CaptureClient =>
  captureClient(api.internalUrl, jobId, issueJobToken(api.secret, tokenJob, new Date(Date.now() + 600_000)));
const jobOf = (id: string) =>
  store.db.selectFrom('screenshot_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
const leaseOf = async (id: string) =>
  (await store.db.selectFrom('job_indexes').selectAll().where('job_id', '=', id).where('index', '=', 0).execute())[0]
    ?.hosting_until;
const claim = async (client: CaptureClient) =>
  (await client.call<ClaimedSmallSet>('indexes/0/small-set', { attempt: 1 })).body.job;
const leave = (client: CaptureClient) => client.call('indexes/0/hosting', { attempt: 1, ends: true });

interface Host {
  readonly id: string;
  readonly client: CaptureClient;
}

/** Admits a new small set, and does the work of its first index, so that its capture may take sets. */
async function startHost({ owner = organization, pages = 1 } = {}): Promise<Host> {
  const setId = await insertSmallSet(owner, pages);
  await admit({ ...LIMITS, pagesPerIndex: 1 });
  const { id } = await store.db
    .selectFrom('screenshot_jobs')
    .select('id')
    .where('set_id', '=', setId)
    .executeTakeFirstOrThrow();
  const client = clientOf(id);
  const { body } = await client.call<Attempt>('indexes/0/attempts', { pod: `pod-${id}-0`, hosts: true });
  expect(body).toMatchObject({ attempt: 1, hosting: true });
  await simulateIndex(store.db, { jobId: id, index: 0, eventContext: EVENTS });
  await client.call('indexes/0/finish', { attempt: 1, phases: {} });
  return { id, client };
}

/** @returns the id of the job that the host took. */
async function takeSet({ client }: Host): Promise<string> {
  await insertSmallSet();
  return required((await claim(client)) ?? undefined);
}

test('a capture takes a waiting small set of its organization, and works on it with its own token', async () => {
  const host = await startHost();
  const taken = await takeSet(host);
  expect(await jobOf(taken)).toMatchObject({ host_job_id: host.id, host_index: 0, host_pod: `pod-${host.id}-0` });
  const hosted = clientOf(taken, host.id);
  const { status, body } = await hosted.call<Attempt>('indexes/0/attempts', { pod: `pod-${host.id}-0`, hosts: true });
  expect(status).toBe(200);
  expect(body).toMatchObject({ attempt: 1, done: false, hosting: false });
  expect(body.pages).toHaveLength(1);
});

test('a capture works on a set that it took only if it opens it in time', async () => {
  const taken = await takeSet(await startHost());
  const { name } = await jobOf(taken);
  expect(await readJob(store.db, name)).toMatchObject({ host: { works: true } });
  await store.db
    .updateTable('screenshot_jobs')
    .set({ hosted_at: new Date(0) })
    .where('id', '=', taken)
    .execute();
  expect(await readJob(store.db, name)).toMatchObject({ host: { works: false } });
});

test('a capture that claims again before it has finished its set gets the same one', async () => {
  const host = await startHost();
  const taken = await takeSet(host);
  await insertSmallSet();
  expect(await claim(host.client)).toBe(taken);
});

test('two captures that claim at once get different sets, and a third one gets none', async () => {
  const hosts = [await startHost(), await startHost(), await startHost()];
  await insertSmallSet();
  await insertSmallSet();
  const taken = await Promise.all(hosts.map(({ client }) => claim(client)));
  expect(new Set(taken).size).toBe(3);
  expect(taken.filter((job) => job === null)).toHaveLength(1);
});

test('a capture without a set ends, and the admission runs', async () => {
  const host = await startHost();
  launches = 0;
  expect(await claim(host.client)).toBeNull();
  expect(await leaseOf(host.id)).toBeNull();
  expect(launches).toBe(1);
});

test('the admission runs when a capture that takes no sets has finished its index', async () => {
  await insertSmallSet();
  const client = clientOf(required((await admit())[0]).jobId);
  await client.call('indexes/0/attempts', { pod: 'pod-1' });
  launches = 0;
  await client.call('indexes/0/finish', { attempt: 1, phases: {} });
  expect(launches).toBe(1);
});

test('a capture never takes the set of another organization', async () => {
  const host = await startHost();
  await insertSmallSet(await insertOrganization(store.db));
  expect(await claim(host.client)).toBeNull();
  expect((await jobOf(required((await admit())[0]).jobId)).host_job_id).toBeNull();
});

test('a capture takes no set if it is the turn of an organization with fewer captures', async () => {
  const hosts = [await startHost(), await startHost()];
  await insertSmallSet();
  await insertSmallSet(await insertOrganization(store.db));
  expect(await claim(required(hosts[0]).client)).toBeNull();
});

test('an organization at its limit does not end the captures of others', async () => {
  const host = await startHost();
  await startHost();
  const full = await insertOrganization(store.db);
  await store.db.updateTable('organizations').set({ running_captures: 1 }).where('id', '=', full.id).execute();
  await insertSmallSet(full);
  await insertSmallSet(full);
  await admit();
  await insertSmallSet();
  expect(await claim(host.client)).not.toBeNull();
});

test('the token of a capture is valid for its own job and the set that it took, and for no other job', async () => {
  const host = await startHost();
  const taken = await takeSet(host);
  const bystander = await startHost();
  const foreign = await startHost({ owner: await insertOrganization(store.db) });
  for (const [job, token] of [
    [taken, bystander.id],
    [taken, foreign.id],
    [bystander.id, host.id],
    [host.id, taken],
  ] as const)
    expect((await clientOf(job, token).call('indexes/0/attempts', { pod: 'pod' })).status).toBe(401);
});

test('the access to a set that a capture took ends when another capture opens its index', async () => {
  const host = await startHost();
  const taken = await takeSet(host);
  expect((await findJobAccess(store.db, taken))?.host).toEqual({ jobId: host.id, pod: `pod-${host.id}-0` });
  await host.client.call('indexes/0/attempts', { pod: 'its retry' });
  expect((await findJobAccess(store.db, taken))?.host).toBeUndefined();
  expect((await clientOf(taken, host.id).call('indexes/0/attempts', { pod: 'its retry' })).status).toBe(401);
});

test('a capture takes sets for its own index only', async () => {
  const host = await startHost();
  const hosted = clientOf(await takeSet(host), host.id);
  await hosted.call('indexes/0/attempts', { pod: `pod-${host.id}-0` });
  expect((await hosted.call('indexes/0/small-set', { attempt: 1 })).status).toBe(403);
});

test('no capture takes a large set, and the captures of a large set take none', async () => {
  const host = await startHost();
  await insertSmallSet(organization, 5);
  expect(await claim(host.client)).toBeNull();
  const large = clientOf(required((await admit())[0]).jobId);
  expect((await large.call<Attempt>('indexes/0/attempts', { pod: 'p', hosts: true })).body.hosting).toBe(false);
});

test('a set of several pages that a capture takes has one index', async () => {
  const host = await startHost();
  await insertSmallSet(organization, 3);
  const taken = required((await claim(host.client)) ?? undefined);
  const { body } = await clientOf(taken, host.id).call<Attempt>('indexes/0/attempts', { pod: `pod-${host.id}-0` });
  expect(body.pages).toHaveLength(3);
  expect((await jobOf(taken)).indexes).toBe(1);
});

test('a capture of a settled set counts against the limits until it leaves, and takes no set after that', async () => {
  const host = await startHost();
  await store.db.updateTable('screenshot_jobs').set({ settled_at: new Date() }).where('id', '=', host.id).execute();
  await insertSmallSet();
  expect(await admit({ ...LIMITS, maxPods: 1 })).toEqual([]);
  expect((await leave(host.client)).body).toEqual({ hosting: false });
  expect(await admit({ ...LIMITS, maxPods: 1 })).toHaveLength(1);
  await insertSmallSet();
  expect(await claim(host.client)).toBeNull();
});

test('a capture that has finished its index and has left does not count against the limits', async () => {
  const { client } = await startHost({ pages: 2 });
  await insertSmallSet();
  expect(await admit({ ...LIMITS, maxPods: 2 })).toEqual([]);
  await leave(client);
  expect(await admit({ ...LIMITS, maxPods: 2 })).toHaveLength(1);
});

test('a capture takes no set if a Job waits for a place in the cluster', async () => {
  const host = await startHost();
  await insertSmallSet(await insertOrganization(store.db));
  const [stuck] = await admit();
  const launched_at = new Date(Date.now() - 3_600_000);
  await store.db.updateTable('screenshot_jobs').set({ launched_at }).where('id', '=', required(stuck).jobId).execute();
  await insertSmallSet();
  expect(await claim(host.client)).toBeNull();
});

test('a capture takes no set while its own job has an index that has not started', async () => {
  const host = await startHost({ pages: 4 });
  await insertSmallSet();
  expect((await jobOf(host.id)).indexes).toBeGreaterThan(1);
  expect(await claim(host.client)).toBeNull();
  expect(await leaseOf(host.id)).toBeNull();
});
