import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { asScreenshotJob, readScreenshotJob } from '../../../../../src/cluster/kubernetes/cache/objectStates.ts';
import {
  screenshotJobManifest,
  statusPatch,
  withoutFinalizer,
} from '../../../../../src/cluster/kubernetes/jobs/screenshotJobWriter.ts';
import type { ScreenshotJobSpec, ScreenshotJobStatus } from '../../../../../src/contract/screenshotJob.ts';

const SPEC: ScreenshotJobSpec = {
  ...{ organization: 'acme', set: '9f4c2a1e-0b7d-4c3e-8f5a-6d7e8f9a0b1c', job: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed' },
  ...{ ads: 2, batches: 3, screenshots: 12, parallelism: 3, retries: 3, ttlSecondsAfterFinished: 3_600 },
  deadlines: { schedulingSeconds: 900, captureSeconds: 600 },
};
const condition = (type: 'AdsCaptured' | 'SitesCaptured' | 'Settled' | 'Succeeded', message: string) => ({
  ...{ type, message, status: 'True' as const, reason: 'Captured', lastTransitionTime: '2026-01-01T00:00:00.000Z' },
});
const STATUS: ScreenshotJobStatus = {
  ...{ observedGeneration: 1, reason: 'Completed', total: 12, done: 12, failed: 0, pods: 0, progress: '12/12' },
  ...{ startTime: '2026-01-01T00:00:00.000Z', completionTime: '2026-01-01T00:00:20.000Z', duration: '20s' },
  conditions: [
    condition('AdsCaptured', '2 of 2 creatives captured, 0 failed.'),
    condition('SitesCaptured', '12 of 12 screenshots captured, 0 failed.'),
    condition('Settled', 'The results are stored.'),
    condition('Succeeded', ''),
  ],
};

const object = (name = 'set-1', more: { metadata?: object; status?: object } = {}) => ({
  ...{ apiVersion: 'tearsheet.dev/v1alpha1', kind: 'ScreenshotJob', spec: SPEC, status: more.status ?? STATUS },
  metadata: {
    ...{ name, uid: randomUUID(), resourceVersion: '12345', generation: 2, creationTimestamp: '2026-01-01T00:00:00Z' },
    ...{ labels: { 'tearsheet.dev/installation': randomUUID() }, finalizers: ['tearsheet.dev/settle'] },
    ...more.metadata,
  },
});
const seen = (from: object) => asScreenshotJob(readScreenshotJob(from));

test('a ScreenshotJob is read with all its fields', () => {
  const from = object();
  expect(seen(from)).toMatchObject({
    ...{
      name: 'set-1',
      uid: from.metadata.uid,
      version: '12345',
      generation: 2,
      deleting: false,
      removedByUs: false,
      held: true,
    },
    ...{ createdAt: new Date('2026-01-01T00:00:00Z'), spec: SPEC, status: STATUS },
  });
});

test('the default status of the CRD is read as no status', () => {
  expect(
    seen(object('a', { status: { reason: 'Queued', total: 0, done: 0, failed: 0, pods: 0, conditions: [] } })).status,
  ).toBeUndefined();
  expect(seen(object('a', { status: { reason: 'SomethingOfALaterVersion' } })).status).toBeUndefined();
});

test('a deletion by the controller is recognized by its annotation', () => {
  const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  expect(seen(object('a', { metadata }))).toMatchObject({ deleting: true, removedByUs: false });
  const annotations = { 'tearsheet.dev/removed-by': 'controller' };
  expect(seen(object('a', { metadata: { ...metadata, annotations } }))).toMatchObject({
    deleting: true,
    removedByUs: true,
  });
});

test('a ScreenshotJob is created with its labels and our finalizer', () => {
  expect(screenshotJobManifest({ name: 'set-1', spec: SPEC, namespace: 'shots', installation: 'i' })).toEqual({
    ...{ apiVersion: 'tearsheet.dev/v1alpha1', kind: 'ScreenshotJob', spec: SPEC },
    metadata: {
      ...{ name: 'set-1', namespace: 'shots', finalizers: ['tearsheet.dev/settle'] },
      labels: {
        ...{
          'app.kubernetes.io/name': 'tearsheet',
          'tearsheet.dev/installation': 'i',
          'tearsheet.dev/organization': 'acme',
        },
      },
    },
  });
});

test('only our finalizer is removed', () => {
  const finalizers = ['other/one', 'tearsheet.dev/settle', 'other/two'];
  expect(withoutFinalizer(object('a', { metadata: { finalizers } }))).toEqual(['other/one', 'other/two']);
  expect(withoutFinalizer(object('a', { metadata: { finalizers: ['other/one'] } }))).toBeUndefined();
  expect(withoutFinalizer(object('a', { metadata: { finalizers: undefined } }))).toBeUndefined();
});

test('fields that a status no longer has are removed from the object', () => {
  const { completionTime: _, duration: __, ...running } = STATUS;
  expect(statusPatch(running)).toEqual({ ...running, message: null, completionTime: null, duration: null });
});
