/** The capture program takes small sets of its organization after its own set, with the real internal API. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { issueJobToken } from '../../../../src/api/auth/jobToken.ts';
import { CAPTURE_EXIT } from '../../../../src/contract/captureProtocol.ts';
import { type AdmissionLimits, admitWaiting } from '../../../../src/core/jobs/admission.ts';
import { settleJob } from '../../../../src/core/jobs/settlement.ts';
import type { Store } from '../../../../src/db/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { insertAd, insertOrganization, insertSet, type TestOrganization } from '../../../support/insertRows.ts';
import { required } from '../../../support/required.ts';
import { startTestInternalApi, type TestInternalApi } from '../../../support/testInternalApi.ts';
import { type EngineDouble, engineDouble } from '../doubles/engine.ts';
import { runProgram } from '../doubles/runProgram.ts';

const LIMITS: AdmissionLimits = { maxPods: 1, maxPodsPerOrganization: 10, parallelism: 2, setDeadlineSeconds: 600 };

let api: TestInternalApi;
let store: Store;
let organization: TestOrganization;
let engine: EngineDouble;

beforeEach(async () => {
  api = await startTestInternalApi();
  store = api.store;
  organization = await insertOrganization(store.db);
  engine = engineDouble();
});

afterEach(() => api.close());

const insertSmallSet = async (content = 'banner') => {
  const adId = await insertAd(store.db, organization, { content });
  return insertSet(store.db, organization, { pictures: [{ adId, site: 'http://news.example/' }] });
};
const pictureOf = async (setId: string) =>
  (await store.db.selectFrom('screenshots').select('status').where('set_id', '=', setId).executeTakeFirstOrThrow())
    .status;
const jobOf = (setId: string) =>
  store.db.selectFrom('screenshot_jobs').select('id').where('set_id', '=', setId).executeTakeFirstOrThrow();
const leases = () =>
  store.db.selectFrom('job_indexes').select('index').where('hosting_until', 'is not', null).execute();

/** Runs the program for the first set of the backlog. */
async function startProgram() {
  const { admitted } = await store.db.transaction().execute((tx) => admitWaiting(tx, LIMITS, { reached: [] }));
  const { jobId } = required(admitted[0]);
  const env = {
    TEARSHEET_INTERNAL_URL: api.internalUrl,
    TEARSHEET_JOB: jobId,
    JOB_COMPLETION_INDEX: '0',
    TEARSHEET_TOKEN: issueJobToken(api.secret, jobId, new Date(Date.now() + 600_000)),
    TEARSHEET_POD: 'pod-1',
  };
  return runProgram({ env, engine });
}

test('a capture takes one small set after the other with one engine, and ends with 0 when there is none', async () => {
  const sets = [await insertSmallSet(), await insertSmallSet(), await insertSmallSet()];
  const run = await startProgram();
  expect(await run.exit).toBe(CAPTURE_EXIT.done);
  for (const id of sets) expect(await pictureOf(id)).toBe('uploaded');
  expect([engine.rendered.length, engine.closed]).toEqual([3, true]);
  expect(await leases()).toEqual([]);
  expect(await store.db.selectFrom('job_indexes').select('index').where('finished_at', 'is', null).execute()).toEqual(
    [],
  );
});

test('a capture that fails on a set that it took takes no further one, and ends with 0', async () => {
  const sets = [await insertSmallSet(), await insertSmallSet('starts-no-browser'), await insertSmallSet()];
  const run = await startProgram();
  expect(await run.exit).toBe(CAPTURE_EXIT.done);
  expect(await Promise.all(sets.map(pictureOf))).toEqual(['uploaded', 'pending', 'pending']);
  expect(await leases()).toEqual([]);
});

test('a capture whose small set is canceled takes the next one', async () => {
  const sets = [await insertSmallSet(), await insertSmallSet('slow'), await insertSmallSet()];
  const run = await startProgram();
  await eventually(() => expect(engine.rendered).toHaveLength(2));
  const { id: jobId } = await jobOf(required(sets[1]));
  const context = {
    queue: { enqueue: async () => undefined },
    publicUrl: 'https://tearsheet.example',
    resolved: [],
    reached: [],
  };
  await store.db.transaction().execute((tx) => settleJob(tx, { jobId, cause: 'canceled' }, context));
  // The result of the slow creative comes too late.
  engine.letGo();
  expect(await run.exit).toBe(CAPTURE_EXIT.done);
  expect(await Promise.all(sets.map(pictureOf))).toEqual(['uploaded', 'canceled', 'uploaded']);
});

test('a capture that is terminated while it works on a set that it took releases its claim and leaves', async () => {
  await insertSmallSet();
  const slow = await insertSmallSet('slow');
  const run = await startProgram();
  await eventually(() => expect(engine.rendered).toHaveLength(2));
  const { id: jobId } = await jobOf(slow);
  run.signals.emit('SIGTERM');
  expect(await run.exit).toBe(CAPTURE_EXIT.terminated);
  const creative = await store.db
    .selectFrom('job_creatives')
    .select(['status', 'claim_expires_at', 'claims_lost'])
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
  expect(creative).toEqual({ status: 'pending', claim_expires_at: null, claims_lost: 0 });
  expect(await leases()).toEqual([]);
});
