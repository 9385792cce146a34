/** Who is launched next: the oldest first, but in turns between organizations, within limits on running captures. */

export interface Waiting {
  readonly organizationId: string;
  readonly since: Date;
  /** Captures it can keep busy. */
  readonly pods: number;
}

export interface Capacity {
  /** Captures of each organization that run or are about to. */
  readonly running: ReadonlyMap<string, number>;
  readonly maxPods: number;
  readonly maxPodsPerOrganization: number;
}

export interface Chosen<T extends Waiting> {
  readonly item: T;
  /** At most what it can keep busy; less where the limits leave less. */
  readonly parallelism: number;
}

/** @returns what may be launched now, in that order. */
export function chooseFairly<T extends Waiting>(waiting: readonly T[], capacity: Capacity): Chosen<T>[] {
  const running = new Map(capacity.running);
  let left = capacity.maxPods - [...running.values()].reduce((sum, pods) => sum + pods, 0);
  const oldestFirst = waiting.toSorted((a, b) => a.since.getTime() - b.since.getTime());
  const lines = [...Map.groupBy(oldestFirst, ({ organizationId }) => organizationId).entries()];
  // Whoever has the least running comes first; between equals, whoever waits longest.
  lines.sort(([a], [b]) => (running.get(a) ?? 0) - (running.get(b) ?? 0));
  const chosen: Chosen<T>[] = [];
  for (let turn = 0, progress = true; progress && left > 0; turn++) {
    progress = false;
    for (const [organizationId, line] of lines) {
      const item = line[turn];
      const own = capacity.maxPodsPerOrganization - (running.get(organizationId) ?? 0);
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
