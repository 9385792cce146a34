import { expect, test } from 'vitest';
import type { CaptureJob } from '../../../src/cluster/port.ts';
import { ScreenshotJobStatus } from '../../../src/contract/screenshotJob.ts';
import { type StatusInput, statusOf } from '../../../src/controller/status.ts';
import type { StoredJob } from '../../../src/core/jobs/jobs.ts';

const START = new Date('2026-11-21T10:00:00.000Z');
const after = (seconds: number) => new Date(START.getTime() + seconds * 1000);

const stateOf = (given: Partial<StoredJob> = {}): StoredJob => ({
  ...{
    id: 'job',
    name: 'set-1',
    organization: 'acme',
    organization_id: 'o',
    set_id: 's',
    priority: 'normal',
    indexes: 3,
    parallelism: 2,
  },
  ...{
    generation: 1,
    admitted_at: START,
    deadline_at: after(600),
    settled_at: null,
    outcome: null,
    launched_at: START,
  },
  ...{
    problem: null,
    started: true,
    started_indexes: 2,
    failures: '',
    stopped: false,
    cancel_requested: false,
    open: true,
  },
  ...{ screenshots: { total: 12, done: 7, failed: 0 }, creatives: { total: 2, done: 2, failed: 0 } },
  ...{ claims_overdue: false, next_claim_expiry: null, now: after(14) },
  ...{ host: null, traceparent: null, hosting: false, hosting_ended_at: null },
  ...given,
});

const JOB: CaptureJob = {
  ...{ name: 'set-1-1', uid: 'u', ownerUid: 'r', createdAt: START, active: 3, succeededIndexes: [], failedIndexes: [] },
  ...{ finished: false, deleting: false, suspended: false, stuck: false },
};

const validStatusOf = (seen: Partial<StatusInput> = {}) => {
  const status = statusOf({
    ...{ state: stateOf(), job: JOB, problem: undefined, canceling: false, before: undefined, generation: 2 },
    ...seen,
  });
  // Each status must be valid for the CRD.
  return ScreenshotJobStatus.parse(status);
};

const settled = (given: Partial<StoredJob>) => stateOf({ settled_at: after(72), open: false, ...given });
const of = (status: ScreenshotJobStatus, type: string) => status.conditions.find((each) => each.type === type);

test('the status of a running set has its progress, in numbers and for the columns of kubectl', () => {
  const status = validStatusOf();
  expect(status).toMatchObject({ reason: 'Running', progress: '7/12', total: 12, done: 7, failed: 0, pods: 3 });
  expect(status).toMatchObject({ observedGeneration: 2, startTime: '2026-11-21T10:00:00.000Z' });
  expect([of(status, 'AdsCaptured')?.status, of(status, 'SitesCaptured')?.status]).toEqual(['True', 'False']);
  expect([of(status, 'Settled')?.status, of(status, 'Succeeded')?.status]).toEqual(['False', 'Unknown']);
});

test('the status of a set that the capture of another one takes names that one', () => {
  const host = { name: 'set-host', works: true, check_ms: 1_000 };
  const statusWith = (given: Partial<StoredJob>) =>
    validStatusOf({ job: undefined, state: stateOf({ host, ...given }) });
  const by = 'by a capture of set-host, which has finished its own work.';
  expect(statusWith({})).toMatchObject({ reason: 'Running', pods: 0, message: `Its pictures are taken ${by}` });
  expect(statusWith({ started: false })).toMatchObject({
    reason: 'Queued',
    message: `Its pictures will be taken ${by}`,
  });
});

test('a set is Running after its first capture, and Queued before it and while its Job is replaced', () => {
  expect(validStatusOf({ state: stateOf({ started: false }) }).reason).toBe('Queued');
  expect(validStatusOf({ job: undefined })).toMatchObject({ reason: 'Queued', pods: 0 });
  expect(validStatusOf({ job: { ...JOB, deleting: true } }).reason).toBe('Queued');
});

test('a set says for how many of its pods it waits', () => {
  const message = (given: Partial<StoredJob>) => validStatusOf({ state: stateOf(given) }).message;
  expect(message({ started: false, started_indexes: 0, parallelism: 3 })).toBe('Waiting for 3 of 3 pods.');
  expect(message({ started_indexes: 1, parallelism: 3 })).toBe('Waiting for 2 of 3 pods.');
  expect(message({ started_indexes: 3, parallelism: 3 })).toBeUndefined();
});

test('an open set whose pictures cannot be stored says so, and one that is settled does not', () => {
  const storeFault = 'the artifact store does not accept files: connect ECONNREFUSED';
  const message = `Waiting until pictures can be stored: ${storeFault}`;
  expect(validStatusOf({ storeFault })).toMatchObject({ reason: 'Running', message });
  expect(validStatusOf({ storeFault, job: undefined })).toMatchObject({ reason: 'Queued', message });
  const problem = { reason: 'PodFailed', message: 'A capture ended with the exit code 1.' };
  expect(validStatusOf({ storeFault, problem })).toMatchObject({ reason: 'PodFailed', message });
  expect(validStatusOf({ storeFault, state: settled({ outcome: 'complete' }) }).message).not.toBe(message);
});

test('a set with failures gives their codes', () => {
  const screenshots = { total: 6, done: 3, failed: 3 };
  const state = settled({ outcome: 'complete', screenshots, failures: 'no_slots 2, blocked 1' });
  expect(validStatusOf({ state }).message).toBe('3 of 6 could not be captured: no_slots 2, blocked 1.');
});

test('a problem is the reason of the status, with the message of the cluster cut to the maximum length', () => {
  const problem = { reason: 'ImagePullFailed', message: 'x'.repeat(5_000) };
  const status = validStatusOf({ problem });
  expect([status.reason, status.message?.length]).toEqual(['ImagePullFailed', 1_024]);
  expect(validStatusOf({ problem: { reason: 'Unheard', message: 'of' } })).toMatchObject({
    reason: 'PodStartFailed',
    message: 'of',
  });
});

test.each([
  ['complete', { done: 12, failed: 0 }, 'Completed', 'True'],
  ['complete', { done: 10, failed: 2 }, 'CompletedWithFailures', 'True'],
  ['complete', { done: 0, failed: 12 }, 'Failed', 'False'],
  ['lost', { done: 0, failed: 12 }, 'Failed', 'False'],
  ['canceled', { done: 3, failed: 9 }, 'Canceled', 'False'],
  ['deadline', { done: 3, failed: 9 }, 'DeadlineExceeded', 'False'],
  ['unscheduled', { done: 0, failed: 12 }, 'DeadlineExceeded', 'False'],
])(
  'a set that ended as %s with %o is %s, and no failure looks like a success',
  (outcome, counts, reason, succeeded) => {
    const status = validStatusOf({
      state: settled({ outcome, screenshots: { total: 12, ...counts } }),
      job: undefined,
    });
    expect(status).toMatchObject({ reason, completionTime: '2026-11-21T10:01:12.000Z', duration: '1m12s', pods: 0 });
    expect(of(status, 'Settled')).toMatchObject({ status: 'True', reason });
    expect(of(status, 'Succeeded')).toMatchObject({ status: succeeded, reason });
  },
);

test('pods that end after their set are counted and change nothing else', () => {
  const state = settled({ outcome: 'canceled' });
  expect(validStatusOf({ state, job: { ...JOB, active: 2, deleting: true } })).toMatchObject({
    reason: 'Canceled',
    pods: 2,
  });
});

test('a set without a started capture keeps the message of the cluster', () => {
  const problem = 'No capture was started within 600 s. Unschedulable: 0/3 nodes are available.';
  const status = validStatusOf({ state: settled({ outcome: 'unscheduled', problem }) });
  expect(status).toMatchObject({ reason: 'DeadlineExceeded', message: problem });
});

test('a set whose last generation failed says how the last capture ended', () => {
  const problem = 'PodFailed: set-1-3-0-abcde: exit code 2: a setting is missing';
  const lost = (done: number) =>
    validStatusOf({
      state: settled({
        outcome: 'lost',
        problem,
        failures: 'no_slots 5',
        screenshots: { total: 12, done, failed: 12 - done },
      }),
    });
  expect(lost(0)).toMatchObject({ reason: 'Failed', message: `None of 12 could be captured: no_slots 5. ${problem}` });
  expect(lost(5)).toMatchObject({
    reason: 'CompletedWithFailures',
    message: `7 of 12 could not be captured: no_slots 5. ${problem}`,
  });
});

test('a condition keeps the time of its last transition', () => {
  const before = validStatusOf();
  const later = stateOf({ now: after(20), screenshots: { total: 12, done: 12, failed: 0 } });
  const status = validStatusOf({ state: later, before });
  expect(of(status, 'AdsCaptured')?.lastTransitionTime).toBe('2026-11-21T10:00:14.000Z');
  expect(of(status, 'SitesCaptured')?.lastTransitionTime).toBe('2026-11-21T10:00:20.000Z');
});

test('a job of only ads is counted by creatives and has no sites', () => {
  const status = validStatusOf({ state: stateOf({ set_id: null, screenshots: { total: 0, done: 0, failed: 0 } }) });
  expect(status).toMatchObject({ progress: '2/2', total: 2 });
  expect(of(status, 'SitesCaptured')).toMatchObject({ status: 'True', reason: 'NoneWanted' });
});

test.each([
  [0.2, '0s'],
  [59.4, '59s'],
  [3_599, '59m59s'],
  [7_500, '2h5m'],
])('a set that took %d s has the duration %s', (seconds, duration) => {
  expect(validStatusOf({ state: settled({ settled_at: after(seconds), outcome: 'complete' }) }).duration).toBe(
    duration,
  );
});

test('a message of the cluster has no control characters and can be stored', () => {
  const problem = { reason: 'PodRejected', message: 'no\u001b[2J\u001b]0;x\u0007 way\n\0\u202e \ud83d end' };
  expect(validStatusOf({ problem }).message).toBe('no [2J ]0;x  way \ufffd  \ufffd end');
});

test('a message is cut at the end of a character', () => {
  const problem = { reason: 'PodRejected', message: `${'x'.repeat(1_023)}\u{1f600}\u{1f600}` };
  const status = validStatusOf({ problem });
  expect(status.message).toBe(`${'x'.repeat(1_023)}\u{1f600}`);
  expect(of(status, 'Succeeded')?.message).toBe(status.message);
});
