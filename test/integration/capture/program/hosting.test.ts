/** The capture program as a host: after its own set it takes small sets of the same organization, with the real internal API. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { issueJobToken } from '../../../../src/api/auth/jobToken.ts';
import { CAPTURE_EXIT } from '../../../../src/contract/captureProtocol.ts';
import type { Store } from '../../../../src/store/database/database.ts';
import { type AdmissionLimits, admitWaiting } from '../../../../src/workflow/admission.ts';
import { settleJob } from '../../../../src/workflow/settlement.ts';
import { eventually } from '../../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, type TestOrganization } from '../../../support/insertRows.ts';
import { required } from '../../../support/required.ts';
import { startTestInternalApi, type TestInternalApi } from '../../../support/testInternalApi.ts';
import { type EngineDouble, engineDouble } from '../doubles/engine.ts';
import { runProgram } from '../doubles/runProgram.ts';

const LIMITS: AdmissionLimits = {
  ...{ maxPods: 10, maxPodsPerOrganization: 10, parallelism: 2, setDeadlineSeconds: 600 },
  smallSets: { captures: 1, waitSeconds: 600, lingerSeconds: 0 },
};

let api: TestInternalApi;
let store: Store;
let organization: TestOrganization;
let engine: EngineDouble;

beforeEach(async () => {
  // The admission of the test decides how long a capture waits.
  api = await startTestInternalApi(() => ({ lingerSeconds: 60 }));
  store = api.store;
  organization = await insertOrganization(store.db);
  engine = engineDouble();
});

afterEach(() => api.close());

const admit = async () => (await store.db.transaction().execute((tx) => admitWaiting(tx, LIMITS))).admitted;
const insertSmallSet = async (content = 'banner') => {
  const adId = await insertAd(store.db, organization, { content });
  return insertSet(store.db, organization, { pictures: [{ adId, site: 'http://news.example/' }] });
};
const pictureOf = async (setId: string) =>
  (await store.db.selectFrom('screenshots').select('status').where('set_id', '=', setId).executeTakeFirstOrThrow())
    .status;
const isIdle = () =>
  eventually(async () =>
    expect(
      await store.db.selectFrom('job_indexes').select('idle_since').where('idle_since', 'is not', null).execute(),
    ).toHaveLength(1),
  );

/** Runs the program for a set of its own. */
async function startProgram() {
  const own = await insertSmallSet();
  const { jobId } = required((await admit())[0]);
  const env = {
    TEARSHEET_INTERNAL_URL: api.internalUrl,
    TEARSHEET_JOB: jobId,
    JOB_COMPLETION_INDEX: '0',
    TEARSHEET_TOKEN: issueJobToken(api.secret, jobId, new Date(Date.now() + 600_000)),
    TEARSHEET_POD: 'pod-1',
  };
  return { own, jobId, run: runProgram({ env, engine }) };
}

/** Gives the idle program the next set. @returns the id of its job. */
async function giveNext(): Promise<string> {
  await isIdle();
  const [admitted] = await admit();
  expect(admitted?.host).toBeDefined();
  return required(admitted).jobId;
}

test('a capture takes one small set after the other with one engine, and ends with 0 when there is none', async () => {
  const { own, run } = await startProgram();
  const guests = [await insertSmallSet(), await insertSmallSet()];
  await giveNext();
  await giveNext();
  await isIdle();
  expect(engine.closed).toBe(false);
  expect(await admit()).toEqual([]);
  expect(await run.exit).toBe(CAPTURE_EXIT.done);
  for (const id of [own, ...guests]) expect(await pictureOf(id)).toBe('uploaded');
  expect(engine.rendered).toHaveLength(3);
  expect(engine.closed).toBe(true);
  expect(await store.db.selectFrom('job_indexes').select('index').where('finished_at', 'is', null).execute()).toEqual(
    [],
  );
});

test('a capture that fails on a guest takes no further one, and ends with 0', async () => {
  const { own, run } = await startProgram();
  const guest = await insertSmallSet('starts-no-browser');
  await giveNext();
  expect(await run.exit).toBe(CAPTURE_EXIT.done);
  expect(await pictureOf(own)).toBe('uploaded');
  expect(await pictureOf(guest)).toBe('pending');
  expect(
    await store.db.selectFrom('job_indexes').select('index').where('hosting_until', 'is not', null).execute(),
  ).toEqual([]);
});

test('a capture whose guest is canceled takes the next set', async () => {
  const { run } = await startProgram();
  const [canceled, next] = [await insertSmallSet('slow'), await insertSmallSet()];
  const jobId = await giveNext();
  await eventually(() => expect(engine.rendered).toHaveLength(2));
  const context = { queue: { enqueue: async () => undefined }, publicUrl: 'https://tearsheet.example', resolved: [] };
  await store.db.transaction().execute((tx) => settleJob(tx, { jobId, cause: 'canceled' }, context));
  // The result of the slow creative comes too late.
  engine.letGo();
  await giveNext();
  await isIdle();
  expect(await admit()).toEqual([]);
  expect(await run.exit).toBe(CAPTURE_EXIT.done);
  expect([await pictureOf(canceled), await pictureOf(next)]).toEqual(['canceled', 'uploaded']);
});

test('a capture that is terminated while it works on a guest releases its claim and leaves', async () => {
  const { run } = await startProgram();
  await insertSmallSet('slow');
  const jobId = await giveNext();
  await eventually(() => expect(engine.rendered).toHaveLength(2));
  run.signals.emit('SIGTERM');
  expect(await run.exit).toBe(CAPTURE_EXIT.terminated);
  const creative = await store.db
    .selectFrom('job_creatives')
    .select(['status', 'claim_expires_at', 'claims_lost'])
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  expect(creative).toEqual({ status: 'pending', claim_expires_at: null, claims_lost: 0 });
  const hosts = await store.db
    .selectFrom('job_indexes')
    .select('index')
    .where('hosting_until', 'is not', null)
    .execute();
  expect(hosts).toEqual([]);
});
