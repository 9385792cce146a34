import { z } from 'zod';
import { createDocument } from 'zod-openapi';
import { DEFAULT_LIMITS, type Limits } from '../domain/limits.ts';
import { OURS } from './descriptions.ts';
import { operations } from './operations.ts';
import { AdEvent, ScreenshotSetEvent } from './records.ts';

const ABOUT = `Takes ad creatives and a list of sites and devices, and returns pictures of the ads standing in those pages.

What is marked ${OURS} is this service’s own choice where the interface it shares with others is silent.

**Authentication.** Every request carries an API key: \`Authorization: <key>\` or \`Authorization: Bearer <key>\`. ${OURS}

**Failures.** Every 4xx and 5xx has the same shape: \`{"status":"failure","errors":{"<path>":["…"]}}\`. All faults of a body come in one answer. ${OURS}

**Retries.** Both POSTs that create take an \`Idempotency-Key\` (up to 255 characters): the same key and body within 24 hours answer the same again. ${OURS}

**Rate limit.** A token bucket for each key: \`RateLimit\` and \`RateLimit-Policy\` tell its state, 429 with \`Retry-After\` that it is empty. Each replica counts by itself, and tells of itself. ${OURS}

**Webhooks** are signed after the [Standard Webhooks](https://www.standardwebhooks.com) specification. ${OURS}`;

/** The OpenAPI 3.1 document of the public API. */
export function buildOpenApi(limits: Limits = DEFAULT_LIMITS): object {
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Tearsheet',
      version: '1',
      description: ABOUT,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { plain: [] }],
    tags: [{ name: 'Creating' }, { name: 'Reading' }, { name: 'Reviewing' }, { name: 'Deliveries' }],
    paths: operations(limits),
    webhooks: {
      ad: { post: webhook('An ad has been captured, or could not be.', AdEvent) },
      screenshot_set: { post: webhook('A set is ready.', ScreenshotSetEvent) },
    },
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: '`Authorization: Bearer <key>`' },
        plain: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`Authorization: <key>`' },
      },
    },
  });
}

function webhook(summary: string, event: z.ZodType) {
  const headers = {
    'webhook-id': z.string().describe('The id of the event.'),
    'webhook-timestamp': z.string().describe('Seconds since 1970.'),
    'webhook-signature': z.string().describe('`v1,<base64>`, several separated by spaces while a secret is rotated.'),
  };
  return {
    summary,
    security: [],
    requestParams: { header: z.object(headers) },
    requestBody: { required: true, content: { 'application/json': { schema: event } } },
    responses: {
      '2XX': { description: 'Received. Anything else is tried again, 14 times over about 24 hours.' },
      '410': { description: `Not wanted any more: ends at once. ${OURS}` },
    },
  };
}
