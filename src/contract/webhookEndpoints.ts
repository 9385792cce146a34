/** Bodies and records of webhook endpoints, of the webhook secret and of test events. */
import { z } from 'zod';
import { DEFAULT_TOPICS, ENDPOINT_DISABLED_TOPIC, ENDPOINT_TOPICS, TEST_TOPIC } from '../domain/topics.ts';
import {
  ENDPOINT_DESCRIPTION_MAX,
  ENDPOINT_HEADERS_MAX,
  HEADER_NAME,
  HEADER_NAME_MAX,
  HEADER_VALUE,
  HEADER_VALUE_MAX,
  headerNameFault,
  headerValueFault,
} from '../domain/webhookEndpoints.ts';
import { envelope, time, uuid } from './records.ts';
import { OURS } from './schemaParts.ts';
import { lengthFault, text, webAddress } from './textFields.ts';

export const SecretRotation = z
  .object({
    keep_previous: z
      .boolean()
      .nullish()
      .describe(
        'Webhooks are also signed with the old secret for 24 hours, so that receivers can switch without interruption. `false` after a leak; `true` unless given.',
      ),
  })
  .meta({ id: 'SecretRotation', description: `How to replace the webhook secret. ${OURS}` });

export const WebhookSecretRecord = z
  .object({
    type: z.literal('webhook_secret'),
    created_at: time,
    previous_until: time.nullable().describe('Until when webhooks are also signed with the previous secret.'),
  })
  .meta({ id: 'WebhookSecret', description: `The secret that signs the webhooks of the organization. ${OURS}` });

export const NewWebhookSecretRecord = WebhookSecretRecord.extend({
  secret: z.string().describe('The new secret, `whsec_…`. No other response contains it.'),
}).meta({ id: 'NewWebhookSecret', description: `The secret after a rotation. ${OURS}` });

export const WebhookTest = z
  .object({ url: webAddress.describe(`Address that receives an event of the topic \`${TEST_TOPIC}\`, once.`) })
  .meta({ id: 'WebhookTest', description: `A test event to send. ${OURS}` });

export const TestEvent = envelope(z.object({ type: z.literal('test'), message: z.string() }), [TEST_TOPIC]).meta({
  id: 'TestEvent',
  description: `\`${TEST_TOPIC}\`: an event to try a webhook. ${OURS}`,
});

export type WebhookSecretRecord = z.infer<typeof WebhookSecretRecord>;
export type NewWebhookSecretRecord = z.infer<typeof NewWebhookSecretRecord>;

const headers = z
  .record(z.string(), z.string().max(HEADER_VALUE_MAX).meta({ minLength: 1, pattern: HEADER_VALUE.source }))
  .superRefine((given, context) => {
    const names = Object.keys(given);
    const add = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', path, message });
    if (names.length > ENDPOINT_HEADERS_MAX)
      add(`must have at most ${ENDPOINT_HEADERS_MAX} headers, but has ${names.length}.`);
    if (new Set(names.map((name) => name.toLowerCase())).size < names.length) add('must name each header once.');
    for (const [name, value] of Object.entries(given)) {
      const fault = headerNameFault(name) ?? headerValueFault(value);
      if (fault !== undefined) add(fault, name);
    }
  })
  .meta({
    maxProperties: ENDPOINT_HEADERS_MAX,
    propertyNames: { pattern: HEADER_NAME.source, maxLength: HEADER_NAME_MAX },
  })
  .nullish()
  .describe(
    `Headers of each request to the endpoint, at most ${ENDPOINT_HEADERS_MAX}. No response shows the values. Not allowed: \`Host\`, \`User-Agent\`, headers of the connection, and names that begin with \`Content-\`, \`Proxy-\` or \`Webhook-\`.`,
  );

const fields = {
  topics: z
    .array(z.enum(ENDPOINT_TOPICS))
    .min(1, 'must name at least one topic, or be left out.')
    .nullish()
    .describe(`Topics to receive; the default is ${DEFAULT_TOPICS.map((topic) => `\`${topic}\``).join(' and ')}.`),
  description: text((value) => lengthFault(value, ENDPOINT_DESCRIPTION_MAX))
    .nullish()
    .meta({ maxLength: ENDPOINT_DESCRIPTION_MAX, description: 'The program that receives the events, for people.' }),
  headers,
  disabled: z.boolean().nullish().describe('A disabled endpoint receives no events.'),
};

export const NewWebhookEndpoint = z
  .object({ url: webAddress.describe('Address that receives the events.'), ...fields })
  .meta({ id: 'NewWebhookEndpoint', description: `A webhook endpoint to create. ${OURS}` });

/** A field that is left out stays as it is. Null resets it. */
export const WebhookEndpointChange = z
  .object({
    url: webAddress.nullish().describe('Also for events that wait for their next attempt. Null: no change.'),
    ...fields,
  })
  .meta({
    id: 'WebhookEndpointChange',
    description: `Changes to a webhook endpoint. A field that is left out stays as it is; null resets topics, description and headers. ${OURS}`,
  });

export const WebhookEndpointRecord = z
  .object({
    type: z.literal('webhook_endpoint'),
    id: uuid,
    url: z.string(),
    topics: z.array(z.enum(ENDPOINT_TOPICS)),
    description: z.string(),
    header_names: z.array(z.string()).describe('The headers of each request, without their values.'),
    disabled: z.boolean(),
    disabled_at: time.nullable(),
    disabled_reason: z
      .string()
      .nullable()
      .describe('Why the service disabled the endpoint automatically. Null if a request disabled it.'),
    failing_since: time.nullable().describe('Every delivery attempt since this time failed. Null after a success.'),
    secret_created_at: time,
    previous_secret_until: time.nullable().describe('Until when webhooks are also signed with the previous secret.'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'WebhookEndpoint', description: `A receiver of the events of all sets and ads. ${OURS}` });

export const WebhookEndpointWithSecret = WebhookEndpointRecord.extend({
  secret: z.string().describe('The secret that signs its webhooks, `whsec_…`. No other response contains it.'),
}).meta({ id: 'WebhookEndpointWithSecret', description: `A webhook endpoint with a new secret. ${OURS}` });

export const WebhookEndpointEvent = envelope(WebhookEndpointRecord, [ENDPOINT_DISABLED_TOPIC]).meta({
  id: 'WebhookEndpointEvent',
  description: `\`${ENDPOINT_DISABLED_TOPIC}\`: the service disabled the endpoint. ${OURS}`,
});

export type WebhookEndpointRecord = z.infer<typeof WebhookEndpointRecord>;
export type WebhookEndpointWithSecret = z.infer<typeof WebhookEndpointWithSecret>;
export type NewWebhookEndpoint = z.infer<typeof NewWebhookEndpoint>;
export type WebhookEndpointChange = z.infer<typeof WebhookEndpointChange>;
