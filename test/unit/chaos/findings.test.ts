/** Plants each kind of loss into what a service answers, and sees it reported. */
import { expect, test } from 'vitest';
import { eventFindings, faultOf, type KeptPromise } from '../../chaos/check.ts';
import type { Acknowledged, Received } from '../../chaos/ledger.ts';

const promised = (given: Omit<Acknowledged, 'kind'>, found: KeptPromise['found']): KeptPromise => ({
  promise: { kind: 'acknowledged', ...given },
  found,
});
const KEPT: readonly KeptPromise[] = [
  promised({ operation: 'request', id: 'set', screenshots: 2 }, { status: 'approved', screenshots: [{}, {}] }),
  promised({ operation: 'ad', id: 'ad' }, { status: 'uploaded' }),
  promised({ operation: 'upload', id: 'upload' }, {}),
  promised({ operation: 'review', id: 'screenshot', about: 'fine' }, { review: { comment: 'fine' } }),
  promised({ operation: 'export', id: 'export', about: 'set' }, { status: 'ready' }),
  promised({ operation: 'request', id: 'deleted', screenshots: 1 }, undefined),
  promised({ operation: 'delete', id: 'deleted' }, undefined),
];
const WEBHOOKS: readonly Received[] = [
  { kind: 'webhook', event: 'evt_1', topic: 'screenshot_set.approved', object: 'set', digest: 'a' },
  { kind: 'webhook', event: 'evt_1', topic: 'screenshot_set.approved', object: 'set', digest: 'a' },
  { kind: 'webhook', event: 'evt_2', topic: 'ad.uploaded', object: 'ad', digest: 'b' },
];
const EVENTS = [
  { id: 'evt_1', topic: 'screenshot_set.approved', digest: 'a' },
  { id: 'evt_2', topic: 'ad.uploaded', digest: 'b' },
];

const faults = (all: readonly KeptPromise[]) => all.flatMap((one) => faultOf(one, all) ?? []);

test('a service that kept all promises has no finding', () => {
  expect([...faults(KEPT), ...eventFindings(WEBHOOKS, EVENTS, KEPT)]).toEqual([]);
});

test.each<[string, KeptPromise['found'], string]>([
  ['set', undefined, 'request set: it does not exist'],
  ['set', { screenshots: [{}] }, 'request set: it has 1 screenshots'],
  ['ad', undefined, 'ad ad: it does not exist'],
  ['upload', undefined, 'upload upload: it does not exist'],
  ['screenshot', { review: null }, 'review screenshot: the review does not exist'],
  ['export', { status: 'failed' }, 'export export: it is failed'],
])('a lost %s is reported', (id, found, finding) => {
  expect(faults(KEPT.map((one) => (one.promise.id === id ? { ...one, found } : one)))).toEqual([finding]);
});

test('a deleted set that still exists is reported', () => {
  const all = KEPT.map((one) => (one.promise.id === 'deleted' ? { ...one, found: { screenshots: [{}] } } : one));
  expect(faults(all)).toEqual(['delete deleted: it was not deleted']);
});

test('an event that did not arrive is reported', () => {
  const missing = { id: 'evt_3', topic: 'screenshot_set.failed', digest: 'c' };
  expect(eventFindings(WEBHOOKS, [...EVENTS, missing], KEPT)).toEqual(['evt_3 (screenshot_set.failed) did not arrive']);
});

test('the missing end of an ad is reported although no event was stored', () => {
  const silent = promised({ operation: 'ad', id: 'silent' }, { status: 'uploaded' });
  expect(eventFindings(WEBHOOKS, EVENTS, [...KEPT, silent])).toEqual(['ad.uploaded silent did not arrive']);
});

test('a second event with another id, and one with another content, are reported', () => {
  const webhook = { kind: 'webhook', topic: 'ad.uploaded', object: 'ad' } as const;
  const second = { ...webhook, event: 'evt_9', digest: 'z' };
  expect(eventFindings([...WEBHOOKS, second], EVENTS, KEPT)).toEqual(['ad.uploaded ad arrived as two events']);
  const changed = { ...webhook, event: 'evt_2', digest: 'x' };
  expect(eventFindings([...WEBHOOKS, changed], EVENTS, KEPT)).toEqual(['evt_2 arrived with two contents']);
});
