/** What webhooks are told of. */
export const TOPICS = [
  'ad.uploaded',
  'ad.failed',
  'screenshot_set.approved',
  'screenshot_set.failed',
  'screenshot_set.rejected',
  'screenshot_set.progress',
] as const;
export type Topic = (typeof TOPICS)[number];

/** What a webhook gets that names no topics. */
export const DEFAULT_TOPICS: readonly Topic[] = ['ad.uploaded', 'screenshot_set.approved'];
