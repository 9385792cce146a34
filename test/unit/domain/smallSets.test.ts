import { expect, test } from 'vitest';
import { releaseSmallSets, type WaitingSet } from '../../../src/domain/smallSets.ts';

const LIMITS = { captures: 2, waitSeconds: 10 };
const NONE = { running: new Map<string, number>(), idle: new Map<string, number>() };

const small = (organizationId: string, name: string, given: Partial<WaitingSet> = {}) => ({
  ...{ organizationId, name, since: new Date(0), pods: 2, small: true, waitedMs: 0 },
  ...given,
});
const names = (released: { readonly ready: readonly { readonly name: string }[] }) =>
  released.ready.map(({ name }) => name);

test('the only small set of an organization starts at once, with a capture for each page', () => {
  const { ready, nextMs } = releaseSmallSets([small('a', 'one')], NONE, LIMITS);
  expect(ready).toMatchObject([{ name: 'one', pods: 2, packed: false }]);
  expect(nextMs).toBeUndefined();
});

test('several small sets of one organization are packed, and those above the limit wait', () => {
  const waiting = [small('a', 'one'), small('a', 'two', { waitedMs: 4_000 }), small('a', 'three', { waitedMs: 3_000 })];
  const released = releaseSmallSets(waiting, NONE, LIMITS);
  expect(released.ready).toMatchObject([
    { name: 'one', pods: 1, packed: true },
    { name: 'two', pods: 1, packed: true },
  ]);
  expect(released.nextMs).toBe(7_000);
});

test('a small set that has waited long enough starts a capture of its own', () => {
  const busy = { running: new Map([['a', 5]]), idle: new Map<string, number>() };
  const released = releaseSmallSets([small('a', 'old', { waitedMs: 10_000 }), small('a', 'new')], busy, LIMITS);
  expect(names(released)).toEqual(['old']);
});

test('an idle capture takes one waiting set, whatever the limit', () => {
  const captures = { running: new Map([['a', 3]]), idle: new Map([['a', 1]]) };
  expect(names(releaseSmallSets([small('a', 'one'), small('a', 'two')], captures, LIMITS))).toEqual(['one']);
});

test('the capture that takes a set is busy for the next one', () => {
  const captures = { running: new Map([['a', 1]]), idle: new Map([['a', 1]]) };
  const limits = { captures: 1, waitSeconds: 10 };
  expect(names(releaseSmallSets([small('a', 'one'), small('a', 'two')], captures, limits))).toEqual(['one']);
});

test('the captures of one organization hold no set of another one back', () => {
  const busy = { running: new Map([['a', 9]]), idle: new Map<string, number>() };
  expect(names(releaseSmallSets([small('a', 'mine'), small('b', 'theirs')], busy, LIMITS))).toEqual(['theirs']);
});

test('a large set never waits for a capture of small sets', () => {
  const busy = { running: new Map([['a', 9]]), idle: new Map<string, number>() };
  const { ready } = releaseSmallSets([small('a', 'large', { small: false, pods: 7 })], busy, LIMITS);
  expect(ready).toMatchObject([{ name: 'large', pods: 7, packed: false }]);
});

test('without limits every set starts as it is', () => {
  const { ready } = releaseSmallSets([small('a', 'one'), small('a', 'two'), small('a', 'three')], NONE, undefined);
  expect(ready.map(({ pods, packed }) => ({ pods, packed }))).toEqual(new Array(3).fill({ pods: 2, packed: false }));
});
