/** Chooses which deliveries to claim next: in turns between organizations, then between receivers, within a bound for each. */
import type { DeliveryLane, LaneClaim } from '../store/deliveries/deliveryQueue.ts';

export interface DeliveryLimits {
  /** Attempts that run at the same time in this process. */
  readonly total: number;
  readonly perOrganization: number;
  /** For one receiver of one organization. */
  readonly perReceiver: number;
}

/** An organization takes at most this share of the free slots. So some stay free while a dozen organizations are slow. */
const SHARE_OF_FREE = 1 / 8;

const keyOf = ({ organizationId, receiver }: DeliveryLane) => `${organizationId} ${receiver}`;

/** @param running the lanes of the attempts that run, one for each. @returns what to claim; empty if the limits are reached. */
export function planClaims(
  due: readonly DeliveryLane[],
  running: readonly DeliveryLane[],
  { total, perOrganization, perReceiver }: DeliveryLimits,
): LaneClaim[] {
  const used = new Map<string, number>();
  const add = (key: string) => used.set(key, (used.get(key) ?? 0) + 1);
  for (const lane of running) for (const key of [lane.organizationId, keyOf(lane)]) add(key);
  const takes = new Map<DeliveryLane, number>();
  const byUse = (keyOfItem: string) => used.get(keyOfItem) ?? 0;
  let free = total - running.length;
  const lines = [...Map.groupBy(due, ({ organizationId }) => organizationId)];
  for (let progress = true; progress && free > 0; ) {
    progress = false;
    for (const [organizationId, lanes] of lines.toSorted(([a], [b]) => byUse(a) - byUse(b))) {
      const own = byUse(organizationId);
      if (own >= perOrganization || own >= free * SHARE_OF_FREE) continue;
      const lane = leastUsed(lanes, (candidate) => byUse(keyOf(candidate)));
      if (lane === undefined || byUse(keyOf(lane)) >= perReceiver) continue;
      add(organizationId);
      add(keyOf(lane));
      takes.set(lane, (takes.get(lane) ?? 0) + 1);
      free -= 1;
      progress = true;
    }
  }
  return [...takes].map(([lane, take]) => ({ ...lane, take }));
}

function leastUsed(lanes: readonly DeliveryLane[], use: (lane: DeliveryLane) => number): DeliveryLane | undefined {
  let [best] = lanes;
  for (const lane of lanes) if (best === undefined || use(lane) < use(best)) best = lane;
  return best;
}
