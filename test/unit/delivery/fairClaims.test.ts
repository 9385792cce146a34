import { expect, test } from 'vitest';
import { planClaims } from '../../../src/delivery/fairClaims.ts';

const lane = (organizationId: string, receiver = 'receiver') => ({ organizationId, receiver });
const times = <T>(count: number, item: T): T[] => Array<T>(count).fill(item);
const LIMITS = { total: 100, perOrganization: 10, perReceiver: 4 };

test('one receiver gets at most its own slots', () => {
  expect(planClaims([lane('a')], [], LIMITS)).toEqual([{ ...lane('a'), take: 4 }]);
  expect(planClaims([lane('a')], times(3, lane('a')), LIMITS)).toEqual([{ ...lane('a'), take: 1 }]);
  expect(planClaims([lane('a')], times(4, lane('a')), LIMITS)).toEqual([]);
});

test('an organization gets at most its own slots, in turns between its receivers', () => {
  const lanes = ['1', '2', '3', '4'].map((receiver) => lane('a', receiver));
  expect(planClaims(lanes, [], LIMITS).map(({ take }) => take)).toEqual([3, 3, 2, 2]);
});

test('the slots of a slow receiver do not count for other organizations that use it', () => {
  expect(planClaims([lane('b')], times(4, lane('a')), LIMITS)).toEqual([{ ...lane('b'), take: 4 }]);
});

test('the organization that runs the fewest comes first when few slots are free', () => {
  const running = times(1, lane('a'));
  expect(planClaims([lane('a'), lane('b')], running, { ...LIMITS, total: 2 })).toEqual([{ ...lane('b'), take: 1 }]);
});

test('slots stay free while the receivers of a dozen organizations hang', () => {
  const running: ReturnType<typeof lane>[] = [];
  for (let n = 0; n < 12; n++) {
    const own = planClaims([lane(`slow ${n}`, 'x'), lane(`slow ${n}`, 'y'), lane(`slow ${n}`, 'z')], running, LIMITS);
    running.push(...own.flatMap(({ take, ...of }) => times(take, of)));
  }
  expect(planClaims([lane('new')], running, LIMITS)).toEqual([{ ...lane('new'), take: 3 }]);
});

test('nothing is claimed without due deliveries or free slots', () => {
  expect(planClaims([], [], LIMITS)).toEqual([]);
  expect(planClaims([lane('b')], times(100, lane('a')), LIMITS)).toEqual([]);
});
