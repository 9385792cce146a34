/** How long objects are kept, in days. An organization chooses it for its sets alone. */

/** Events stay after they were recorded, with their deliveries. Those with a delivery that waits stay longer. */
export const EVENT_DAYS = 90;
/** Answers to requests with an `Idempotency-Key` are kept and repeated. */
export const ANSWER_DAYS = 1;
/** Uploads that no ad uses, and ads of the page of a new request that no set shows. */
export const UPLOAD_DAYS = 30;
/** Files of exports. */
export const EXPORT_DAYS = 7;
/** The job of a removed set stays after its end, because its ScreenshotJob may be in the cluster for seven days. */
export const JOB_DAYS = 8;

/** The days that an organization may choose for its sets. */
export const SET_DAYS = { min: 1, max: 36_500 } as const;

/** The operator's choices for sets. */
export interface RetentionLimits {
  /** For organizations that chose nothing; undefined: the sets stay. */
  readonly defaultDays: number | undefined;
  /** No organization keeps them longer; undefined: no limit but that of {@link SET_DAYS}. */
  readonly maxDays: number | undefined;
}

export const NO_RETENTION: RetentionLimits = { defaultDays: undefined, maxDays: undefined };

/** @param chosen what the organization chose. @returns null if sets stay until they are deleted. */
export function retentionDays(chosen: number | null, { defaultDays, maxDays }: RetentionLimits): number | null {
  const days = chosen ?? defaultDays ?? Number.POSITIVE_INFINITY;
  const bounded = Math.min(days, maxDays ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(bounded) ? bounded : null;
}

/** @returns the most days that an organization may choose. */
export function maxRetention({ maxDays }: RetentionLimits): number {
  return Math.min(SET_DAYS.max, maxDays ?? SET_DAYS.max);
}
