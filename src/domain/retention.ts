/** How long an organization's sets are kept. */

export const RETENTION_DAYS_MAX = 36_500;

export interface RetentionLimits {
  /** For organizations that chose nothing; undefined: sets stay. */
  readonly defaultDays: number | undefined;
  /** No organization keeps its sets longer; undefined: no limit. */
  readonly maxDays: number | undefined;
}

export const NO_RETENTION: RetentionLimits = { defaultDays: undefined, maxDays: undefined };

/** @param chosen what the organization chose. @returns null if sets stay until they are deleted. */
export function retentionDays(chosen: number | null, { defaultDays, maxDays }: RetentionLimits): number | null {
  const days = chosen ?? defaultDays ?? Number.POSITIVE_INFINITY;
  const bounded = Math.min(days, maxDays ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(bounded) ? bounded : null;
}
