/** How long objects are kept, in days. An organization chooses it for its sets alone. */

/** Events stay after they were recorded, with their deliveries. Those with a delivery that waits stay longer. */
export const EVENT_DAYS = 90;
/** Answers to requests with an `Idempotency-Key` are kept and repeated. */
export const ANSWER_DAYS = 1;
/** Uploads that no ad uses, and drafts of requests with their ads that no set shows. */
export const UPLOAD_DAYS = 30;
/** Placements, unless their organization keeps sets for a shorter time. */
export const PLACEMENT_DAYS = 7;
/** Files of exports. */
export const EXPORT_DAYS = 7;
/** Addresses of clients stay after their link has expired, or wait for their confirmation. */
export const FOLLOWER_DAYS = 7;
/** The job of a removed set stays after its end, because its ScreenshotJob may be in the cluster for seven days. */
export const JOB_DAYS = 8;

/** The days that an organization may choose for its sets. */
export const SET_DAYS = { min: 1, max: 36_500 } as const;
