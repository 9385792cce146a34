/** Plants each kind of loss into the state of a service, and sees it reported. */
import { expect, test } from 'vitest';
import { findLosses } from '../../chaos/check/findings.ts';
import type { ServiceState } from '../../chaos/check/state.ts';
import type { Entry, TimedEntry } from '../../chaos/ledger.ts';

const ENTRIES: readonly Entry[] = [
  { kind: 'acknowledged', operation: 'request', id: 'set', key: 'k1', sent: 2, screenshots: 2 },
  { kind: 'acknowledged', operation: 'ad', id: 'ad', key: 'k2', sent: 1 },
  { kind: 'acknowledged', operation: 'upload', id: 'upload', key: 'k3', sent: 1 },
  { kind: 'acknowledged', operation: 'review', id: 'screenshot', key: 'k4', sent: 1 },
  { kind: 'acknowledged', operation: 'export', id: 'export', key: 'k5', sent: 1 },
  { kind: 'acknowledged', operation: 'request', id: 'canceled', key: 'k6', sent: 1, screenshots: 1 },
  { kind: 'acknowledged', operation: 'cancel', id: 'canceled', key: 'k6', sent: 1 },
  { kind: 'acknowledged', operation: 'request', id: 'deleted', key: 'k7', sent: 1, screenshots: 1 },
  { kind: 'acknowledged', operation: 'delete', id: 'deleted', key: 'k8', sent: 1 },
  { kind: 'kill', what: 'API', detail: 'api-1' },
  { kind: 'webhook', event: 'evt_1', topic: 'screenshot_set.approved', object: 'set', digest: 'a' },
  { kind: 'webhook', event: 'evt_1', topic: 'screenshot_set.approved', object: 'set', digest: 'a' },
  { kind: 'webhook', event: 'evt_2', topic: 'ad.uploaded', object: 'ad', digest: 'b' },
];

const SET = { key: 'k1', status: 'approved', screenshots: 2, pending: 0 };
const KEPT: ServiceState = {
  sets: [
    { ...SET, id: 'set' },
    { ...SET, id: 'canceled', key: 'k6', status: 'canceled', screenshots: 1 },
  ],
  ads: [{ id: 'ad', key: 'k2', status: 'uploaded', reason: null }],
  failed: [],
  uploads: ['upload'],
  reviewed: [{ screenshot: 'screenshot', comment: 'k4' }],
  exports: [{ id: 'export', status: 'ready' }],
  events: [
    { id: 'evt_1', topic: 'screenshot_set.approved', object: 'set', digest: 'a', webhooks: 1 },
    { id: 'evt_2', topic: 'ad.uploaded', object: 'ad', digest: 'b', webhooks: 1 },
  ],
  undelivered: [],
  leftoverRows: [],
  filesWithoutRow: [],
  rowsWithoutFile: [],
  processes: [],
  temporary: [],
};

function found(changed: Partial<ServiceState>, more: readonly Entry[] = []): string[] {
  const at = '2026-01-01T00:00:00.000Z';
  const entries: TimedEntry[] = [...ENTRIES, ...more].map((entry) => ({ at, ...entry }));
  return findLosses(entries, { ...KEPT, ...changed }).map(({ kind }) => kind);
}

test('a service that kept all promises has no finding', () => {
  expect(found({})).toEqual([]);
});

test.each<[string, Partial<ServiceState>, string[]]>([
  ['a set', { sets: KEPT.sets.filter(({ id }) => id !== 'set') }, ['lost']],
  [
    'a screenshot of a set',
    { sets: KEPT.sets.map((set) => (set.id === 'set' ? { ...set, screenshots: 1 } : set)) },
    ['lost'],
  ],
  ['an ad', { ads: [] }, ['lost']],
  ['an upload', { uploads: [] }, ['lost']],
  ['a review', { reviewed: [] }, ['lost']],
  ['an export', { exports: [{ id: 'export', status: 'failed' }] }, ['lost']],
  [
    'a deletion',
    { sets: [...KEPT.sets, { ...SET, id: 'deleted', key: 'k7', status: 'canceled', screenshots: 1 }] },
    ['lost'],
  ],
  [
    'a cancellation',
    { sets: KEPT.sets.map((set) => (set.id === 'canceled' ? { ...set, status: 'capturing' } : set)) },
    ['lost', 'unended'],
  ],
])('a run that lost %s is reported', (_, changed, kinds) => {
  expect(found(changed)).toEqual(kinds);
});

test('a second set for one key is reported', () => {
  expect(found({ sets: [...KEPT.sets, { ...SET, id: 'second', status: 'canceled' }] })).toEqual(['duplicate']);
});

test('a set that did not end is reported', () => {
  const sets = KEPT.sets.map((set) => (set.id === 'set' ? { ...set, pending: 1 } : set));
  expect(found({ sets })).toEqual(['unended']);
});

test('an event that did not arrive is reported', () => {
  const missing = { id: 'evt_3', topic: 'screenshot_set.progress', object: 'set', digest: 'c', webhooks: 1 };
  expect(found({ events: [...KEPT.events, missing] })).toEqual(['event missing']);
  expect(found({ undelivered: [{ id: 'delivery', status: 'retries_exhausted', reason: 'HTTP 500' }] })).toEqual([
    'event missing',
  ]);
});

test('the missing end of an ad is reported although no event was stored', () => {
  const ads = [...KEPT.ads, { id: 'silent', key: 'k9', status: 'uploaded', reason: null }];
  const promise = { kind: 'acknowledged', operation: 'ad', id: 'silent', key: 'k9', sent: 1 } as const;
  expect(found({ ads }, [promise])).toEqual(['event missing']);
});

test('a second event with another id, and one with another content, are reported', () => {
  const webhook = { kind: 'webhook', topic: 'ad.uploaded', object: 'ad' } as const;
  expect(found({}, [{ ...webhook, event: 'evt_9', digest: 'b' }])).toEqual(['event twice']);
  expect(found({}, [{ ...webhook, event: 'evt_2', digest: 'x' }])).toContain('event changed');
});

test('a picture that failed after one crash is reported, and one that failed after three is not', () => {
  const requested = '2026-01-01T00:00:00.000Z';
  const failed = { id: 'picture', status: 'generic_error', reason: 'The page crashed.', attempts: 1, requested };
  expect(found({ failed: [failed] })).toEqual(['failed']);
  const three = { ...failed, reason: 'The page crashed three browsers: Target crashed' };
  const kills = [
    { kind: 'kill', what: 'browser', detail: 'browser 1' },
    { kind: 'kill', what: 'browser renderer', detail: 'renderer 2' },
    { kind: 'kill', what: 'browser', detail: 'browser 3' },
  ] as const;
  expect(found({ failed: [three] }, kills)).toEqual([]);
  expect(found({ failed: [three] }, kills.slice(1))).toEqual(['failed']);
  expect(found({ failed: [{ ...three, requested: '2026-01-01T00:00:01.000Z' }] }, kills)).toEqual(['failed']);
  expect(
    found({ failed: [{ ...failed, reason: 'The capture ended several times without a result.', attempts: 4 }] }),
  ).toEqual([]);
});

test('rows, files and processes that were left behind are reported', () => {
  expect(
    found({
      leftoverRows: ['screenshot_jobs 1 is not settled'],
      filesWithoutRow: ['screenshots/1.png'],
      rowsWithoutFile: ['screenshots/2.png'],
      processes: ['browser: chromium'],
      temporary: ['tearsheet-pod-1'],
    }),
  ).toEqual(Array(5).fill('left behind'));
});
