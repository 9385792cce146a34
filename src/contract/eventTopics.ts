/** Every topic: when the service sends it, and the schema of the event. */
import type { z } from 'zod';
import { type EventTopic, TEST_TOPIC } from '../domain/topics.ts';
import { AdEvent, ScreenshotSetEvent } from './records.ts';
import { WebhookEndpointEvent } from './webhookEndpoints.ts';
import { TestEvent } from './webhooks.ts';

interface TopicDescription {
  readonly when: string;
  readonly event: z.ZodType;
}

export const TOPIC_DESCRIPTIONS: Readonly<Record<EventTopic, TopicDescription>> = {
  'ad.uploaded': { when: 'The preview of an ad exists. An ad ends once, so it has at most one event.', event: AdEvent },
  'ad.failed': {
    when: 'An ad could not be captured. `status` says how, and `reason` why. It has no preview.',
    event: AdEvent,
  },
  'screenshot_set.approved': {
    when: 'A set is ready: a reviewer approved it, or it ended and the organization approves sets automatically. It has at least one picture, and other screenshots may have failed.',
    event: ScreenshotSetEvent,
  },
  'screenshot_set.failed': {
    when: 'A set ended without any picture. Each screenshot has its own `status` and `reason`.',
    event: ScreenshotSetEvent,
  },
  'screenshot_set.rejected': {
    when: 'A reviewer rejected a set. `review_notes` has the text.',
    event: ScreenshotSetEvent,
  },
  'screenshot_set.progress': {
    when: 'A quarter, a half or three quarters of the screenshots of a set have ended. Small sets skip steps.',
    event: ScreenshotSetEvent,
  },
  'webhook_endpoint.disabled': {
    when: 'The service disabled a webhook endpoint because every delivery attempt failed for days. Only other endpoints of the organization get it.',
    event: WebhookEndpointEvent,
  },
  [TEST_TOPIC]: {
    when: 'A person or a program asked for a test event. It goes only to the address or endpoint of that request, once.',
    event: TestEvent,
  },
};
