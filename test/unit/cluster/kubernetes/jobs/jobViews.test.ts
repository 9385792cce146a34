import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Caches } from '../../../../../src/cluster/kubernetes/cache/caches.ts';
import { type JobState, readJob } from '../../../../../src/cluster/kubernetes/cache/jobState.ts';
import { ObjectStore, type Stored } from '../../../../../src/cluster/kubernetes/cache/objectStore.ts';
import { type PodState, readPod } from '../../../../../src/cluster/kubernetes/cache/podState.ts';
import type { ResourceState } from '../../../../../src/cluster/kubernetes/cache/screenshotJobs.ts';
import { JobViews } from '../../../../../src/cluster/kubernetes/jobs/jobViews.ts';
import { fakeClock } from '../../../../support/fakeClock.ts';

const FILE = new URL('../../../../fixtures/kubernetes/unschedulable.json', import.meta.url);
const observed = JSON.parse(readFileSync(FILE, 'utf8')) as { readonly job: unknown; readonly pods: unknown[] };
const job = readJob(observed.job);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function stored<T extends Stored>(objects: readonly T[], groupOf?: (object: T) => string): ObjectStore<T> {
  const store = new ObjectStore<T>({ changed: () => undefined, ...(groupOf && { groupOf }) });
  store.replace(objects, '0');
  return store;
}

function world() {
  const caches: Caches = {
    resources: stored<ResourceState>([]),
    jobs: stored<JobState>([job]),
    pods: stored<PodState>(observed.pods.map(readPod), ({ jobUid }) => jobUid),
    nodes: undefined,
    ready: async () => undefined,
    staleness: () => 0,
    stop: async () => undefined,
  };
  const clock = fakeClock();
  const told: string[] = [];
  const views = new JobViews({
    events: { warnings: async () => new Map() },
    clock,
    changed: (name) => told.push(name),
  });
  const pass = (ms: number) => {
    clock.advance(ms);
    vi.advanceTimersByTime(ms);
  };
  return { views, told, pass, view: () => views.view(job, caches) };
}

test('A Job of which something will count soon is looked at again then, once, although nothing changes', async () => {
  const { told, pass, view } = world();
  expect((await view()).problem).toBeUndefined();
  pass(2_999);
  expect(told).toEqual([]);
  pass(10);
  expect(told).toEqual([job.ownerName]);
  expect((await view()).problem?.reason).toBe('Unschedulable');
  pass(60_000);
  expect(told).toEqual([job.ownerName]);
});

test('However often a Job is looked at, it is looked at again once', async () => {
  const { told, pass, view } = world();
  await view();
  pass(1_000);
  await view();
  await view();
  pass(2_010);
  expect(told).toEqual([job.ownerName]);
});

test('A Job that is gone is not looked at again, nor is any after the end', async () => {
  const { views, told, pass, view } = world();
  await view();
  views.forget(job.uid);
  pass(60_000);
  await view();
  views.close();
  pass(60_000);
  expect(told).toEqual([]);
});
