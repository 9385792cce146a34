/**
 * Chooses the next work to admit, within limits on running captures: in turns between organizations, and within each the highest priority and
 * the oldest first, as {@link turnOf} weighs them.
 */
import { type Priority, turnOf } from './priorities.ts';

export interface Waiting {
  readonly organizationId: string;
  readonly since: Date;
  readonly priority?: Priority | undefined;
  /** Captures that it has work for. */
  readonly pods: number;
  /** The most captures of its organization at the same time; as those of others unless given. */
  readonly maxPodsOfOrganization?: number | null | undefined;
}

export interface Capacity {
  /** Running and admitted captures of each organization. */
  readonly running: ReadonlyMap<string, number>;
  readonly maxPods: number;
  readonly maxPodsPerOrganization: number;
}

export interface Chosen<T extends Waiting> {
  readonly item: T;
  /** At most the captures that it has work for; fewer if the limits allow fewer. */
  readonly parallelism: number;
}

/** @returns the work to admit now, in order. */
export function chooseFairly<T extends Waiting>(waiting: readonly T[], capacity: Capacity): Chosen<T>[] {
  const running = new Map(capacity.running);
  let left = capacity.maxPods - [...running.values()].reduce((sum, pods) => sum + pods, 0);
  const inTurn = waiting.toSorted((a, b) => turnOf(a.since, a.priority) - turnOf(b.since, b.priority));
  const lines = [...Map.groupBy(inTurn, ({ organizationId }) => organizationId).entries()];
  // The organization with the fewest running captures comes first; among equals, the one whose turn came first.
  lines.sort(([a], [b]) => (running.get(a) ?? 0) - (running.get(b) ?? 0));
  const chosen: Chosen<T>[] = [];
  for (let turn = 0, progress = true; progress && left > 0; turn++) {
    progress = false;
    for (const [organizationId, line] of lines) {
      const item = line[turn];
      const most = item?.maxPodsOfOrganization ?? capacity.maxPodsPerOrganization;
      const own = most - (running.get(organizationId) ?? 0);
      const parallelism = Math.min(item?.pods ?? 0, own, left);
      if (item === undefined || parallelism <= 0) continue;
      chosen.push({ item, parallelism });
      running.set(organizationId, (running.get(organizationId) ?? 0) + parallelism);
      left -= parallelism;
      progress = true;
    }
  }
  return chosen;
}
