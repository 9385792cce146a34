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

/** The topic of an event that a person sends to try a webhook. Nobody subscribes to it. */
export const TEST_TOPIC = 'webhook.test';
export const EVENT_TOPICS = [...TOPICS, TEST_TOPIC] as const;
export type EventTopic = (typeof EVENT_TOPICS)[number];

/** The topics of a webhook that names none. */
export const DEFAULT_TOPICS: readonly Topic[] = ['ad.uploaded', 'screenshot_set.approved'];
