/** Bodies and records of the webhook secret and of test events. */
import { z } from 'zod';
import { TEST_TOPIC } from '../domain/topics.ts';
import { OURS } from './descriptions.ts';
import { envelope, time } from './records.ts';
import { webAddress } from './requests.ts';

export const SecretRotation = z
  .object({
    keep_previous: z
      .boolean()
      .nullish()
      .describe(
        'Webhooks are also signed with the old secret for 24 hours, so that receivers can change without a gap. `false` after a leak; `true` unless given.',
      ),
  })
  .meta({ id: 'SecretRotation', description: `How to replace the webhook secret. ${OURS}` });

export const WebhookSecretRecord = z
  .object({
    type: z.literal('webhook_secret'),
    created_at: time,
    previous_until: time.nullable().describe('Until when webhooks are also signed with the secret before this one.'),
  })
  .meta({ id: 'WebhookSecret', description: `The secret that signs the webhooks of the organization. ${OURS}` });

export const NewWebhookSecretRecord = WebhookSecretRecord.extend({
  secret: z.string().describe('The new secret, `whsec_…`. No other response has it.'),
}).meta({ id: 'NewWebhookSecret', description: `The secret after a rotation. ${OURS}` });

export const WebhookTest = z
  .object({ url: webAddress.describe(`Address that gets an event of the topic \`${TEST_TOPIC}\`, once.`) })
  .meta({ id: 'WebhookTest', description: `A test event to send. ${OURS}` });

export const TestEvent = envelope(z.object({ type: z.literal('test'), message: z.string() }), [TEST_TOPIC]).meta({
  id: 'TestEvent',
  description: `\`${TEST_TOPIC}\`: an event to try a webhook. ${OURS}`,
});

export type WebhookSecretRecord = z.infer<typeof WebhookSecretRecord>;
export type NewWebhookSecretRecord = z.infer<typeof NewWebhookSecretRecord>;
