/** The topics of events that webhooks can subscribe to. */
export const TOPICS = [
  'ad.uploaded',
  'ad.failed',
  'screenshot_set.approved',
  'screenshot_set.failed',
  'screenshot_set.rejected',
  'screenshot_set.reopened',
  'screenshot_set.progress',
  'share.answered',
] as const;
export type Topic = (typeof TOPICS)[number];

/** The service disabled a webhook endpoint of the organization. */
export const ENDPOINT_DISABLED_TOPIC = 'webhook_endpoint.disabled';
/** The topics of a webhook endpoint. Subscribers of requests get only events of their own ads and sets. */
export const ENDPOINT_TOPICS = [...TOPICS, ENDPOINT_DISABLED_TOPIC] as const;
export type EndpointTopic = (typeof ENDPOINT_TOPICS)[number];

/** The topic of an event that a person sends to try a webhook. No subscription includes it. */
export const TEST_TOPIC = 'webhook.test';
/** The topics of events that webhooks get. */
export const WEBHOOK_TOPICS = [...ENDPOINT_TOPICS, TEST_TOPIC] as const;
export type WebhookTopic = (typeof WEBHOOK_TOPICS)[number];
/** The topic of notices to members by e-mail, and to chats. It is not sent to webhooks. */
export const NOTICE_TOPIC = 'notice';
export const EVENT_TOPICS = [...WEBHOOK_TOPICS, NOTICE_TOPIC] as const;
export type EventTopic = (typeof EVENT_TOPICS)[number];

/** The topics of a webhook that names none. */
export const DEFAULT_TOPICS: readonly Topic[] = ['ad.uploaded', 'screenshot_set.approved'];

/** The channels of deliveries. */
export const CHANNELS = ['webhook', 's3', 'email', 'chat'] as const;
export type Channel = (typeof CHANNELS)[number];
