// The objects in test/fixtures/kubernetes are real ones: a cluster of Kubernetes 1.34 held them after Jobs of ours had met what
// the file is named after. Left out are the fields that the service does not read.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseIndexes, readJob, readPod } from '../../../../../src/cluster/kubernetes/cache/objectStates.ts';
import { readEvent } from '../../../../../src/cluster/kubernetes/jobs/events.ts';
import {
  type Diagnosis,
  diagnose,
  type FirstSeenTimes,
  type JobSnapshot,
} from '../../../../../src/cluster/kubernetes/jobs/problems.ts';

interface Observed {
  readonly job: Parameters<typeof readJob>[0];
  readonly pods: Parameters<typeof readPod>[0][];
  readonly events: Parameters<typeof readEvent>[0][];
}

function observed(name: string): JobSnapshot {
  const file = path.join(import.meta.dirname, '../../../../fixtures/kubernetes', `${name}.json`);
  const { job, pods, events }: Observed = JSON.parse(readFileSync(file, 'utf8'));
  const uids = new Set(events.map(({ involvedObject }) => involvedObject.uid ?? ''));
  const about = (uid: string) => events.filter(({ involvedObject }) => involvedObject.uid === uid).map(readEvent);
  return {
    job: readJob(job),
    pods: pods.map(readPod),
    events: new Map([...uids].map((uid) => [uid, about(uid)])),
    unreadyNodes: new Set(),
  };
}

/** A pod as the API server sends it, with only the fields of the test. */
const readPartialPod = (pod: object) => readPod(JSON.parse(JSON.stringify(pod)));

/** Diagnoses the same snapshot at each of these seconds. */
function watchOver(sight: JobSnapshot, ...seconds: number[]): Diagnosis {
  let memory: FirstSeenTimes = new Map();
  let last = diagnose(sight, memory, 1_000);
  for (const second of seconds) {
    last = diagnose(sight, memory, 1_000 + second * 1_000);
    memory = last.firstSeen;
  }
  return last;
}

describe('a problem of a Job is reported after it has lasted', () => {
  test.each<[observed: string, afterSeconds: number, reason: string, message: RegExp]>([
    [
      'imageMissing',
      3,
      'ImagePullFailed',
      /^set-1-1-0-\w{5}: ErrImageNeverPull: Container image "localhost\/no-such:1"/,
    ],
    ['imagePull', 3, 'ImagePullFailed', /ImagePullBackOff: .*connection refused$/],
    ['imageName', 3, 'ImagePullFailed', /InvalidImageName: .*couldn't parse image name/],
    ['configError', 3, 'PodStartFailed', /CreateContainerConfigError: secret "nothing" not found$/],
    ['startError', 3, 'PodStartFailed', /StartError: .*no such file or directory/],
    ['missingVolume', 20, 'PodStartFailed', /FailedMount: .*configmap "nothing" not found$/],
    ['unschedulable', 3, 'Unschedulable', /0\/1 nodes are available: 1 node\(s\) didn't match Pod's node affinity/],
    ['quota', 3, 'QuotaExceeded', /^Error creating: pods "set-1-1-0-" is forbidden: exceeded quota: none,/],
    [
      'podSecurity',
      3,
      'PodRejected',
      /^Error creating: pods "set-1-1-0-" is forbidden: violates PodSecurity "restricted:latest"/,
    ],
    ['noAccount', 3, 'PodRejected', /serviceaccount "nobody" not found$/],
    [
      'suspended',
      3,
      'Suspended',
      /^The Job set-1-1 .* Kueue admits it from the queue "captures": kubectl get workloads$/,
    ],
    ['nodeSilent', 3, 'NodeLost', /^set-1-1-0-\w{5}: its node node-2 does not answer\.$/],
    ['nodeLost', 3, 'NodeLost', /its node node-2 does not answer\.$/],
    ['outOfMemory', 3, 'OOMKilled', /it ran out of memory; exit code 137\.$/],
    ['crash', 3, 'PodFailed', /^set-1-1-0-\w{5}: exit code 1\.$/],
    ['evicted', 3, 'Evicted', /Usage of EmptyDir volume "tmp" exceeds the limit "1Mi"/],
  ])('%s is a problem after %i s: %s', (name, seconds, reason, message) => {
    const sight = observed(name);
    expect(watchOver(sight, 0).captureJob.problem).toBeUndefined();
    expect(watchOver(sight, 0, seconds - 0.1).captureJob.problem).toBeUndefined();
    expect(watchOver(sight, 0, seconds - 0.1).recheckMs).toBeLessThanOrEqual(100);
    expect(watchOver(sight, 0, seconds).captureJob).toMatchObject({
      problem: { reason, message: expect.stringMatching(message) },
    });
  });

  test.each(['running', 'deleting', 'drained', 'finished', 'finalExit', 'lastBound', 'podDeadline'])(
    '%s is not a problem, however long it lasts',
    (name) => {
      expect(watchOver(observed(name), 0, 30, 3_000).captureJob.problem).toBeUndefined();
    },
  );

  test('the message of a suspended Job without a queue says how to resume it', () => {
    const sight = observed('suspended');
    const { captureJob: job } = watchOver({ ...sight, job: { ...sight.job, queue: undefined } }, 0, 3);
    expect(job).toMatchObject({ suspended: true, problem: { reason: 'Suspended' } });
    expect(job.problem?.message).toMatch(/: kubectl patch job set-1-1 -p '\{"spec":\{"suspend":false\}\}'$/);
    expect(watchOver(observed('running'), 0).captureJob.suspended).toBe(false);
  });

  test('the first running pod clears a problem', () => {
    const sight = observed('imageMissing');
    const pods = [...sight.pods, ...observed('running').pods];
    expect(watchOver({ ...sight, pods }, 0, 60).captureJob).not.toHaveProperty('problem');
  });

  test('a pod that runs on an unready node clears no problem', () => {
    const sight = { ...observed('running'), unreadyNodes: new Set(['node-1']) };
    expect(watchOver(sight, 0, 3).captureJob.problem).toMatchObject({ reason: 'NodeLost' });
  });

  test('the time of a problem starts again after the problem was gone', () => {
    const bad = observed('unschedulable');
    const first = diagnose(bad, new Map(), 0);
    const good = diagnose({ ...bad, pods: observed('running').pods }, first.firstSeen, 2_000);
    const again = diagnose(bad, good.firstSeen, 4_000);
    expect(again.captureJob.problem).toBeUndefined();
    expect(again.recheckMs).toBe(3_000);
  });

  test('a FailedCreate Event that is older than the last pod is ignored', () => {
    const sight = observed('quota');
    const [over] = observed('crash').pods;
    const later = { ...over, createdAt: '2030-01-01T00:00:00Z' } as JobSnapshot['pods'][number];
    expect(watchOver({ ...sight, pods: [later] }, 0, 60).captureJob.problem).toMatchObject({ reason: 'PodFailed' });
  });

  test('Events are needed only after pods have been missing or starting for some time', () => {
    const missing = { ...observed('quota'), events: new Map() };
    expect(watchOver(missing, 0, 2.9).eventsNeeded).toEqual([]);
    expect(watchOver(missing, 0, 3)).toMatchObject({ eventsNeeded: ['Job'], recheckMs: 5_000 });
    const slow = { ...observed('missingVolume'), events: new Map() };
    expect(watchOver(slow, 0, 19.9).eventsNeeded).toEqual([]);
    expect(watchOver(slow, 0, 20).eventsNeeded).toEqual(['Pod']);
    // Where one pod runs, it is no matter that another one does not.
    const partly = { ...missing, job: { ...missing.job, indexes: 2, parallelism: 2 }, pods: observed('running').pods };
    expect(watchOver(partly, 0, 60).eventsNeeded).toEqual([]);
    for (const name of ['suspended', 'finished', 'running', 'lastBound'])
      expect(watchOver(observed(name), 0, 60).eventsNeeded).toEqual([]);
  });
});

test('a pod that was killed because its node was lost counts as evicted, whatever its exit code', () => {
  const terminated = { exitCode: 137, reason: 'Error' };
  const message = 'Taint manager: deleting due to NoExecute taint';
  const conditions = [{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager', message }];
  const status = { phase: 'Failed', conditions, containerStatuses: [{ name: 'capture', state: { terminated } }] };
  const pod = readPartialPod({
    metadata: { name: 'set-1-1-0-abcde', creationTimestamp: '2026-11-21T10:00:00Z' },
    status,
  });
  const { captureJob: job } = watchOver({ ...observed('crash'), pods: [pod] }, 0, 3);
  expect(job.problem).toEqual({ reason: 'Evicted', message: `set-1-1-0-abcde: DeletionByTaintManager: ${message}` });
});

test('the last message of a capture is kept after its Job has ended, and a terminated capture is not a failure', () => {
  const endedBy = (exitCode: number, message: string) => {
    const terminated = { exitCode, reason: 'Error', message };
    const status = { phase: 'Failed', containerStatuses: [{ name: 'capture', state: { terminated } }] };
    const pod = readPartialPod({
      metadata: { name: 'set-1-1-0-abcde', creationTimestamp: '2026-11-21T10:00:00Z' },
      status,
    });
    return watchOver({ ...observed('finalExit'), pods: [pod] }, 0).captureJob;
  };
  const message = 'set-1-1-0-abcde: exit code 2: a setting is missing';
  expect(endedBy(2, 'a setting is missing').lastFailure).toEqual({ reason: 'PodFailed', message });
  expect(endedBy(2, 'a setting is missing')).not.toHaveProperty('problem');
  for (const code of [40, 43, 143]) expect(endedBy(code, 'asked to end')).not.toHaveProperty('lastFailure');
});

test('a container with exit code 0 is not a failure, although a process in it ran out of memory', () => {
  const terminated = { exitCode: 0, reason: 'OOMKilled' };
  const status = { phase: 'Succeeded', containerStatuses: [{ name: 'capture', state: { terminated } }] };
  expect(readPartialPod({ metadata: { name: 'a' }, status }).failure).toBeUndefined();
  const killed = {
    phase: 'Failed',
    containerStatuses: [{ name: 'capture', state: { terminated: { ...terminated, exitCode: 137 } } }],
  };
  expect(readPartialPod({ metadata: { name: 'a' }, status: killed }).failure).toMatchObject({
    reason: 'OOMKilled',
    exitCode: 137,
  });
});

describe('a diagnosed Job', () => {
  test('a diagnosed Job has its indexes and state', () => {
    expect(watchOver(observed('finished'), 0).captureJob).toMatchObject({
      ...{ name: 'set-1-1', active: 0, finished: true, deleting: false, stuck: false },
      ...{ succeededIndexes: [0, 1], failedIndexes: [] },
    });
    expect(watchOver(observed('finalExit'), 0).captureJob).toMatchObject({ finished: true, failedIndexes: [0] });
    expect(watchOver(observed('running'), 0).captureJob).toMatchObject({
      active: 1,
      finished: false,
      createdAt: expect.any(Date),
    });
  });

  test.each<[text: string, indexes: number[]]>([
    ['', []],
    ['7', [7]],
    ['0,2,4', [0, 2, 4]],
    ['0-3,7,9-10', [0, 1, 2, 3, 7, 9, 10]],
    ['10-9999999999,99', [10, 11]],
  ])('the indexes %j of a Job are read as numbers', (text, indexes) => {
    expect(parseIndexes(text, 12)).toEqual(indexes);
  });

  test('a Job is stuck after it has been failing for 60 s', () => {
    const sight = observed('lastBound');
    const alone = { ...sight, pods: [] };
    expect(watchOver(alone, 0, 59.9).captureJob.stuck).toBe(false);
    expect(watchOver(alone, 0, 59.9).recheckMs).toBeLessThanOrEqual(100);
    expect(watchOver(alone, 0, 60).captureJob.stuck).toBe(true);
    // The Job creates no more pods.
    expect(watchOver(alone, 0, 60).eventsNeeded).toEqual([]);
    expect(watchOver({ ...alone, job: { ...sight.job, finished: true } }, 0, 600).captureJob.stuck).toBe(false);
  });

  test.each(['deleting', 'nodeLost', 'drained'])(
    'a Job is stuck if a pod has not ended 60 s after its grace period: %s',
    (name) => {
      const sight = observed(name);
      const grace = sight.pods[0]?.graceSeconds ?? 0;
      expect(grace).toBeGreaterThanOrEqual(20);
      expect(watchOver(sight, 0, grace + 59.9).captureJob.stuck).toBe(false);
      expect(watchOver(sight, 0, grace + 60).captureJob.stuck).toBe(true);
      const over = { ...sight, pods: sight.pods.map((pod) => ({ ...pod, phase: 'Failed' as const })) };
      expect(watchOver(over, 0, grace + 600).captureJob.stuck).toBe(false);
    },
  );

  test('a Job without an open condition needs no further diagnosis', () => {
    for (const name of ['running', 'finished', 'finalExit'])
      expect(watchOver(observed(name), 0, 5).recheckMs).toBeUndefined();
  });

  test('a Job is diagnosed by our own clock, so a wrong clock of the cluster changes nothing', () => {
    const sight = observed('unschedulable');
    const pods = sight.pods.map((pod) => ({ ...pod, createdAt: '2037-01-01T00:00:00Z' }));
    expect(watchOver({ ...sight, pods }, 0, 2.9).captureJob.problem).toBeUndefined();
    expect(watchOver({ ...sight, pods }, 0, 3).captureJob.problem).toBeDefined();
  });
});
