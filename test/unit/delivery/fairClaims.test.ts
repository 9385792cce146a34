import { expect, test } from 'vitest';
import { shareSlots } from '../../../src/delivery/fairClaims.ts';

interface TestLane {
  readonly organizationId: string;
  readonly receiver: string;
  running: number;
  readonly available: number;
  servedAt: number;
}

const lane = (organizationId: string, running = 0, others: Partial<TestLane> = {}): TestLane => ({
  ...{ organizationId, receiver: 'receiver', running, available: Infinity, servedAt: 0 },
  ...others,
});
const LIMITS = { total: 100, perOrganization: 10, perReceiver: 4 };
const share = (lanes: readonly TestLane[], limits = LIMITS) => {
  const shares = shareSlots(lanes, limits);
  return lanes.map((one) => shares.get(one) ?? 0);
};

test('one receiver gets at most its own slots', () => {
  expect(share([lane('a')])).toEqual([4]);
  expect(share([lane('a', 3)])).toEqual([1]);
  expect(share([lane('a', 4)])).toEqual([0]);
});

test('an organization gets at most its own slots, in turns between its receivers', () => {
  expect(share(Array.from({ length: 4 }, () => lane('a')))).toEqual([3, 3, 2, 2]);
});

test('attempts of receivers that have nothing due count for their organization', () => {
  expect(share([lane('a', 9, { available: 0 }), lane('a')])).toEqual([0, 1]);
});

test('a lane gets no more slots than it has deliveries', () => {
  expect(share([lane('a', 0, { available: 1 }), lane('a')])).toEqual([1, 4]);
});

test('the slots of a slow receiver do not count for other organizations that use it', () => {
  expect(share([lane('a', 4), lane('b')])).toEqual([0, 4]);
});

test('the organization that runs the fewest comes first when few slots are free', () => {
  expect(share([lane('a', 1), lane('b')], { ...LIMITS, total: 2 })).toEqual([0, 1]);
});

test('of receivers that run equally many, the one that was served longest ago comes first', () => {
  const lanes = [lane('a', 0, { servedAt: 3 }), lane('a', 0, { servedAt: 1 }), lane('a', 0, { servedAt: 2 })];
  expect(share(lanes, { ...LIMITS, perOrganization: 1 })).toEqual([0, 1, 0]);
});

test('of organizations that run equally many, the one that was served longest ago comes first', () => {
  const lanes = [lane('a', 0, { servedAt: 2 }), lane('b', 0, { servedAt: 1 })];
  expect(share(lanes, { ...LIMITS, total: 1 })).toEqual([0, 1]);
});

test('slots stay free while the receivers of a dozen organizations hang', () => {
  const lanes: TestLane[] = [];
  for (let n = 0; n < 12; n++) {
    lanes.push(lane(`slow ${n}`), lane(`slow ${n}`), lane(`slow ${n}`));
    for (const [one, slots] of shareSlots(lanes, LIMITS)) one.running += slots;
  }
  const [newcomer] = share([lane('new'), ...lanes]);
  expect(newcomer).toBeGreaterThan(0);
});

test('nothing begins without due deliveries or free slots', () => {
  expect(share([])).toEqual([]);
  expect(share([lane('a', 0, { available: 0 })])).toEqual([0]);
  expect(share([lane('a', 100), lane('b')])).toEqual([0, 0]);
});
