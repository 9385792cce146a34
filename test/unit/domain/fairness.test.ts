import { expect, test } from 'vitest';
import { chooseFairly } from '../../../src/domain/fairness.ts';
import { STEP_SECONDS } from '../../../src/domain/priorities.ts';

const wait = (organizationId: string, second: number, pods = 1) => ({
  organizationId,
  since: new Date(second * 1_000),
  pods,
});
const none = new Map<string, number>();
const names = (chosen: { item: { organizationId: string; since: Date } }[]) =>
  chosen.map(({ item }) => `${item.organizationId}${item.since.getTime() / 1_000}`);

test('Organizations take turns, each with its oldest first', () => {
  const waiting = [wait('a', 1), wait('a', 2), wait('a', 3), wait('b', 9), wait('c', 5), wait('c', 4)];
  const chosen = chooseFairly(waiting, { running: none, maxPods: 5, maxPodsPerOrganization: 5 });
  expect(names(chosen)).toEqual(['a1', 'c4', 'b9', 'a2', 'c5']);
});

test('The organization with the fewest running captures comes first', () => {
  const running = new Map([['a', 3]]);
  const chosen = chooseFairly([wait('a', 1), wait('b', 2)], { running, maxPods: 4, maxPodsPerOrganization: 4 });
  expect(names(chosen)).toEqual(['b2']);
});

test('An organization at its limit does not block others', () => {
  const waiting = [wait('a', 1, 2), wait('a', 2, 2), wait('b', 3, 2)];
  const chosen = chooseFairly(waiting, { running: none, maxPods: 10, maxPodsPerOrganization: 2 });
  expect(names(chosen)).toEqual(['a1', 'b3']);
});

test('A set takes the rest of the limit at once', () => {
  const [chosen] = chooseFairly([wait('a', 1, 10)], {
    running: new Map([['b', 5]]),
    maxPods: 8,
    maxPodsPerOrganization: 10,
  });
  expect(chosen?.parallelism).toBe(3);
});

test('No organization is chosen if all pods are in use', () => {
  const capacity = { running: new Map([['b', 8]]), maxPods: 8, maxPodsPerOrganization: 10 };
  expect(chooseFairly([wait('a', 1)], capacity)).toEqual([]);
});

test('An organization may have its own limit', () => {
  const waiting = [1, 2, 3].map((second) => ({ ...wait('a', second), maxPodsOfOrganization: 1 }));
  const more = [1, 2, 3].map((second) => ({ ...wait('b', second), maxPodsOfOrganization: 3 }));
  const chosen = chooseFairly([...waiting, ...more], { running: none, maxPods: 10, maxPodsPerOrganization: 2 });
  expect(names(chosen)).toEqual(['a1', 'b1', 'b2', 'b3']);
});

test('Higher priorities come first, but a set that has waited an hour comes before every one that arrives now', () => {
  const all = { running: none, maxPods: 10, maxPodsPerOrganization: 10 };
  const now = 100_000;
  const low = { ...wait('a', now - 60), priority: 'low' as const };
  const normal = wait('a', now - 50);
  const high = { ...wait('a', now), priority: 'high' as const };
  expect(names(chooseFairly([low, normal, high], all))).toEqual(names([high, normal, low].map((item) => ({ item }))));
  const old = { ...wait('a', now - 2 * STEP_SECONDS - 1), priority: 'low' as const };
  expect(names(chooseFairly([high, old], all))).toEqual(names([old, high].map((item) => ({ item }))));
});

test('A high priority takes no turn of another organization', () => {
  const high = [1, 2, 3].map((second) => ({ ...wait('a', second), priority: 'high' as const }));
  const chosen = chooseFairly([...high, { ...wait('b', 9), priority: 'low' as const }], {
    running: none,
    maxPods: 3,
    maxPodsPerOrganization: 3,
  });
  expect(names(chosen)).toEqual(['a1', 'b9', 'a2']);
});
