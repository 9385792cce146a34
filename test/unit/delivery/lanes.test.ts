import { expect, test } from 'vitest';
import { Lanes } from '../../../src/delivery/lanes.ts';
import type { ClaimedDelivery } from '../../../src/store/deliveries/deliveryQueue.ts';

const LIMITS = { total: 100, perOrganization: 50, perReceiver: 4 };
const LANE = { organizationId: 'a', receiver: 'quick' };
let ids = 0;

const claimed = (count: number, body: string | null = '{}', { organizationId, receiver } = LANE) =>
  Array.from({ length: count }, () => {
    const delivery: Partial<ClaimedDelivery> = { id: `${ids++}`, organization_id: organizationId, receiver, body };
    return delivery as ClaimedDelivery;
  });

/** A lane whose receiver has ended so many attempts in this window, and of which no attempt runs. */
function quickLane(attempts: number, now = 1_000, of = LANE): Lanes {
  const lanes = new Lanes(LIMITS);
  lanes.setDue([of]);
  for (let left = attempts; left > 0; left -= LIMITS.perReceiver) {
    lanes.add([], claimed(Math.min(left, LIMITS.perReceiver), '{}', of), now);
    for (const { lane } of lanes.begin()) lanes.end(lane, now);
  }
  return lanes;
}

test('a lane of which nothing is known claims only for its slots', () => {
  expect(quickLane(0).wanted(1_000)).toEqual([{ ...LANE, take: 4 }]);
});

test('a quick lane claims ahead what it ended a moment ago, and nothing after a pause', () => {
  const lanes = quickLane(40);
  expect(lanes.wanted(1_000)).toEqual([{ ...LANE, take: 44 }]);
  expect(lanes.wanted(1_300)).toEqual([{ ...LANE, take: 44 }]);
  expect(lanes.wanted(1_600)).toEqual([{ ...LANE, take: 4 }]);
  expect(quickLane(40).wanted(1_600)).toEqual([{ ...LANE, take: 4 }]);
});

test('a lane claims more when half of what it had ahead is used up', () => {
  const lanes = quickLane(40);
  lanes.add([], claimed(4), 1_000);
  lanes.begin();
  lanes.add([], claimed(30), 1_000);
  expect(lanes.wanted(1_000)).toEqual([]);
  const other = quickLane(40);
  other.add([], claimed(4), 1_000);
  other.begin();
  other.add([], claimed(10), 1_000);
  expect(other.wanted(1_000)).toEqual([{ ...LANE, take: 30 }]);
});

test('a lane claims a limited number ahead', () => {
  const [claim] = quickLane(1_000).wanted(1_000);
  expect(claim?.take).toBe(260);
});

test('nothing is claimed ahead while large bodies wait', () => {
  const lanes = quickLane(40);
  const other = { organizationId: 'b', receiver: 'large' };
  lanes.add([], claimed(9, 'x'.repeat(1_000_000), other), 1_000);
  expect(lanes.wanted(1_000)).toEqual([{ ...LANE, take: 4 }]);
});

test('waiting deliveries begin in their order, within the slots of the receiver', () => {
  const lanes = new Lanes(LIMITS);
  const deliveries = claimed(6);
  lanes.add([], deliveries, 0);
  const begun = lanes.begin();
  expect(begun.map(({ delivery }) => delivery)).toEqual(deliveries.slice(0, 4));
  expect(lanes.begin()).toEqual([]);
  for (const { lane } of begun) lanes.end(lane, 0);
  expect(lanes.begin().map(({ delivery }) => delivery)).toEqual(deliveries.slice(4));
});

test('a lane that had less than was asked for is not asked again', () => {
  const lanes = quickLane(0);
  lanes.add([{ ...LANE, take: 4 }], claimed(3), 0);
  lanes.begin();
  expect(lanes.wanted(0)).toEqual([]);
  lanes.setDue([LANE]);
  expect(lanes.wanted(0)).toEqual([{ ...LANE, take: 1 }]);
});

test('a delivery that waits longer than a second is given back, and the others stay', () => {
  const lanes = new Lanes(LIMITS);
  const [early, late] = [claimed(2), claimed(2)];
  lanes.add([], early, 0);
  lanes.add([], late, 600);
  expect(lanes.giveBack(900)).toEqual([]);
  expect(lanes.giveBack(1_100)).toEqual(early);
  expect(lanes.begin().map(({ delivery }) => delivery)).toEqual(late);
});

test('a worker that stops gives back all that wait', () => {
  const lanes = new Lanes(LIMITS);
  const deliveries = claimed(3);
  lanes.add([], deliveries, 0);
  expect(lanes.giveBack()).toEqual(deliveries);
  expect(lanes.begin()).toEqual([]);
});
