/** Which small sets may start a capture of their own now, and which wait a moment for one that already runs. */
import type { Waiting } from './fairness.ts';

export interface SmallSetLimits {
  /** Captures of an organization that work on small sets before further small sets wait for one of them. */
  readonly captures: number;
  /** A set waits for a running capture at most this long. */
  readonly waitSeconds: number;
}

export interface WaitingSet extends Waiting {
  readonly small: boolean;
  readonly waitedMs: number;
}

export interface SmallSetCaptures {
  /** Captures of small sets, by organization. The idle ones are among them. */
  readonly running: ReadonlyMap<string, number>;
  /** Captures that wait for a guest, by organization. */
  readonly idle: ReadonlyMap<string, number>;
}

export interface Released<T> {
  /** The work that the admission may choose from. */
  readonly ready: readonly (T & { readonly packed: boolean })[];
  /** Milliseconds until the next held set may start a capture of its own; undefined if none is held. */
  readonly nextMs: number | undefined;
}

/**
 * Holds small sets back whose organization has enough captures for small sets. A small set is `packed` into one index if the organization
 * has other small sets, because each index starts a program.
 */
export function releaseSmallSets<T extends WaitingSet>(
  waiting: readonly T[],
  captures: SmallSetCaptures,
  limits: SmallSetLimits | undefined,
): Released<T> {
  if (limits === undefined) return { ready: waiting.map((item) => ({ ...item, packed: false })), nextMs: undefined };
  const { captures: most, waitSeconds } = limits;
  const ready: (T & { packed: boolean })[] = [];
  let nextMs: number | undefined;
  const oldestFirst = waiting.toSorted((a, b) => a.since.getTime() - b.since.getTime());
  for (const [organizationId, line] of Map.groupBy(oldestFirst, (item) => item.organizationId)) {
    let idle = captures.idle.get(organizationId) ?? 0;
    let busy = (captures.running.get(organizationId) ?? 0) - idle;
    const isBusy = busy + idle > 0 || line.filter(({ small }) => small).length > 1;
    for (const item of line) {
      const packed = item.small && isBusy;
      const leftMs = waitSeconds * 1000 - item.waitedMs;
      if (item.small && idle === 0 && busy >= most && leftMs > 0) {
        nextMs = Math.min(nextMs ?? leftMs, leftMs);
        continue;
      }
      idle -= item.small && idle > 0 ? 1 : 0;
      if (item.small) busy += packed ? 1 : item.pods;
      ready.push({ ...item, packed, ...(packed && { pods: 1 }) });
    }
  }
  return { ready, nextMs };
}
