/** Chooses whose deliveries to send next: in turns between organizations, then between receivers, within a bound for each. */
export interface DeliveryLimits {
  /** Attempts that run at the same time in this process. */
  readonly total: number;
  readonly perOrganization: number;
  /** For one receiver of one organization. */
  readonly perReceiver: number;
}

/** An organization takes at most this share of the free slots. So some stay free while a dozen organizations are slow. */
const SHARE_OF_FREE = 1 / 8;

export interface LaneUse {
  readonly organizationId: string;
  readonly running: number;
  /** Attempts that could begin if there were slots. */
  readonly available: number;
  /** Grows with each attempt that begins in any lane. */
  readonly servedAt: number;
}

interface UsedLane<L> {
  readonly lane: L;
  /** With the attempts that begin now. */
  use: number;
}

/** The lanes of one organization. */
interface Line<L> {
  /** Those that have something to send. */
  readonly lanes: UsedLane<L>[];
  use: number;
  servedAt: number;
}

/**
 * @param lanes all lanes, also those that only run attempts.
 * @returns the number of attempts that each lane may begin; empty if the limits are reached.
 */
export function shareSlots<L extends LaneUse>(
  lanes: Iterable<L>,
  { total, perOrganization, perReceiver }: DeliveryLimits,
): Map<L, number> {
  const shares = new Map<L, number>();
  const lines = linesOf(lanes);
  let free = total - lines.reduce((sum, { use }) => sum + use, 0);
  let open = lines.filter((line) => line.lanes.length > 0);
  for (let progress = true; progress && free > 0; ) {
    progress = false;
    open = open.toSorted((a, b) => a.use - b.use || a.servedAt - b.servedAt);
    for (const line of open) {
      if (line.use >= perOrganization || line.use >= free * SHARE_OF_FREE) continue;
      const next = leastUsed(line.lanes);
      if (next === undefined || next.use >= perReceiver) continue;
      next.use += 1;
      line.use += 1;
      shares.set(next.lane, next.use - next.lane.running);
      free -= 1;
      progress = true;
    }
  }
  return shares;
}

function linesOf<L extends LaneUse>(lanes: Iterable<L>): Line<L>[] {
  const lines = new Map<string, Line<L>>();
  for (const lane of lanes) {
    const line = lines.get(lane.organizationId) ?? { lanes: [], use: 0, servedAt: 0 };
    lines.set(lane.organizationId, line);
    line.use += lane.running;
    line.servedAt = Math.max(line.servedAt, lane.servedAt);
    if (lane.available > 0) line.lanes.push({ lane, use: lane.running });
  }
  return [...lines.values()];
}

/** @returns the lane that runs the fewest; of several, the one that has waited longest. */
function leastUsed<L extends LaneUse>(lanes: readonly UsedLane<L>[]): UsedLane<L> | undefined {
  let best: UsedLane<L> | undefined;
  for (const one of lanes) {
    if (one.use - one.lane.running >= one.lane.available) continue;
    if (best === undefined || one.use < best.use || (one.use === best.use && one.lane.servedAt < best.lane.servedAt))
      best = one;
  }
  return best;
}
