/** What somebody may use up in the long run, and at once: a token bucket for each, of those that were there lately. */

export interface Allowance {
  readonly perSecond: number;
  readonly atOnce: number;
}

export interface Allowances {
  /** @returns false: so much is not left. */
  take(who: string, amount?: number): boolean;
}

/** The one that was quiet for longest is forgotten first, and has its all again. */
const MOST_KNOWN = 10_000;

export function createAllowances(
  { perSecond, atOnce }: Allowance,
  now: () => number = () => performance.now(),
): Allowances {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    take(who, amount = 1) {
      const at = now();
      const known = buckets.get(who) ?? { left: atOnce, at };
      const left = Math.min(atOnce, known.left + ((at - known.at) / 1000) * perSecond);
      const isEnough = left >= amount;
      buckets.delete(who);
      buckets.set(who, { left: isEnough ? left - amount : left, at });
      const [quietest] = buckets.keys();
      if (buckets.size > MOST_KNOWN && quietest !== undefined) buckets.delete(quietest);
      return isEnough;
    },
  };
}
