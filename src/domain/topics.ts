/** The topics of events that webhooks can subscribe to. */
export const TOPICS = [
  'ad.uploaded',
  'ad.failed',
  'screenshot_set.approved',
  'screenshot_set.failed',
  'screenshot_set.rejected',
  'screenshot_set.progress',
] as const;
export type Topic = (typeof TOPICS)[number];

/** The topics of a webhook that names none. */
export const DEFAULT_TOPICS: readonly Topic[] = ['ad.uploaded', 'screenshot_set.approved'];
