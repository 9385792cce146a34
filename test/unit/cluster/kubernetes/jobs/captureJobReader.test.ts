import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ClusterCache } from '../../../../../src/cluster/kubernetes/cache/clusterCache.ts';
import { type CachedObject, ObjectCache } from '../../../../../src/cluster/kubernetes/cache/objectCache.ts';
import {
  type JobState,
  type PodState,
  readJob,
  readPod,
  type ScreenshotJobState,
} from '../../../../../src/cluster/kubernetes/cache/objectStates.ts';
import { CaptureJobReader } from '../../../../../src/cluster/kubernetes/jobs/captureJobReader.ts';
import { fakeClock } from '../../../../support/fakeClock.ts';

const FILE = new URL('../../../../fixtures/kubernetes/unschedulable.json', import.meta.url);
const observed: { job: Parameters<typeof readJob>[0]; pods: Parameters<typeof readPod>[0][] } = JSON.parse(
  readFileSync(FILE, 'utf8'),
);
const job = readJob(observed.job);
/** It belongs to no Job of ours, and runs. */
const OTHER_POD: PodState = {
  ...readPod({ metadata: { name: 'other', uid: 'other', resourceVersion: '1' }, status: { phase: 'Running' } }),
  jobUid: 'another',
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function stored<T extends CachedObject>(objects: readonly T[]): ObjectCache<T> {
  const store = new ObjectCache<T>({ changed: () => undefined });
  store.replace(objects, '0');
  return store;
}

function world() {
  const caches: ClusterCache = {
    screenshotJobs: stored<ScreenshotJobState>([]),
    jobs: stored<JobState>([job]),
    pods: stored<PodState>([...observed.pods.map(readPod), OTHER_POD]),
    nodes: undefined,
    ready: async () => undefined,
    staleness: () => 0,
    stop: async () => undefined,
  };
  const clock = fakeClock();
  const reported: string[] = [];
  const views = new CaptureJobReader({
    events: { warnings: async () => new Map() },
    clock,
    changed: (name) => reported.push(name),
  });
  const pass = (ms: number) => {
    clock.advance(ms);
    vi.advanceTimersByTime(ms);
  };
  return { views, caches, reported, pass, view: () => views.read(job, caches) };
}

test('a Job is reported once more when a condition has lasted long enough, although no object changes', async () => {
  const { reported, pass, view } = world();
  expect((await view()).problem).toBeUndefined();
  pass(2_999);
  expect(reported).toEqual([]);
  pass(10);
  expect(reported).toEqual([job.ownerName]);
  expect((await view()).problem?.reason).toBe('Unschedulable');
  pass(60_000);
  expect(reported).toEqual([job.ownerName]);
});

test('the list of all Jobs has each with its own pods', () => {
  const { views, caches } = world();
  expect(views.readAll(caches)).toMatchObject([{ name: job.name, active: observed.pods.length }]);
});

test('a Job that is read several times is reported once more only', async () => {
  const { reported, pass, view } = world();
  await view();
  pass(1_000);
  await view();
  await view();
  pass(2_010);
  expect(reported).toEqual([job.ownerName]);
});

test('a deleted Job is not reported again, and no Job is after close', async () => {
  const { views, reported, pass, view } = world();
  await view();
  views.forget(job.uid);
  pass(60_000);
  await view();
  views.close();
  pass(60_000);
  expect(reported).toEqual([]);
});
