/** Chooses the next work to admit: the oldest first, in turns between organizations, within limits on running captures. */

export interface Waiting {
  readonly organizationId: string;
  readonly since: Date;
  /** Captures that it has work for. */
  readonly pods: number;
  /** The most captures of its organization at the same time; as those of others unless given. */
  readonly maxPodsOfOrganization?: number | undefined;
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
  const oldestFirst = waiting.toSorted((a, b) => a.since.getTime() - b.since.getTime());
  const lines = [...Map.groupBy(oldestFirst, ({ organizationId }) => organizationId).entries()];
  // The organization with the fewest running captures comes first; among equals, the one that waits longest.
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
