import { z } from 'zod';
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiPathItemObject,
} from 'zod-openapi';
import { TOPIC_DESCRIPTIONS } from '../../contract/events.ts';
import { RequestWarning } from '../../contract/faults.ts';
import { AdEvent, ScreenshotSetEvent } from '../../contract/records.ts';
import { OURS } from '../../contract/schemaParts.ts';
import { ShareAnswerEvent } from '../../contract/sharing.ts';
import { TestEvent, WebhookEndpointEvent } from '../../contract/webhookEndpoints.ts';
import { DEFAULT_LIMITS, type Limits } from '../../domain/limits.ts';
import { WEBHOOK_TOPICS } from '../../domain/topics.ts';
import { publicRoutes } from './routes/routes.ts';

type JsonSchema = Parameters<NonNullable<CreateDocumentOptions['override']>>[0]['jsonSchema'];

const ABOUT = `Tearsheet takes ad creatives and a list of sites and devices. It returns **placement previews**: pictures of the ads in slots of the live pages. A placement preview does not prove that a campaign ran.

The mark ${OURS} shows behavior that is specific to Tearsheet, because the interface that it shares with others does not define it.

**Authentication.** Every request carries an API key: \`Authorization: <key>\` or \`Authorization: Bearer <key>\`. ${OURS}

**Scopes.** Each operation needs one scope: \`read\` for lists and objects, \`write\` to request, review, share and delete, \`admin\` for keys, webhooks, connectors, settings and the audit log. A key with only \`write\` can read only the responses to its own requests. If the scope is missing, the response is 403 with the code \`missing_scope\`, and \`errors.authorization\` names the scope. ${OURS}

**Failures.** Every 4xx and 5xx has the same shape: \`{"status":"failure","code":"…","request_id":"…","errors":{"<path>":["…"]}}\`. One response lists the faults of a body, at most 100. ${OURS}

**Unknown fields.** The service ignores fields and query parameters that it does not know. The response then lists them at its top level as \`request_warnings\`, an array of \`RequestWarning\`: \`[{"path":"…","message":"…"}]\`. With \`Prefer: handling=strict\` the service rejects the request with 422 instead, before it changes anything. \`Preference-Applied\` confirms the header. ${OURS}

**Entity tags.** Answers to GET have an \`ETag\`. A request with \`If-None-Match\` gets 304 without a body if the answer is still the same. ${OURS}

**Retries.** POST requests that create objects accept an \`Idempotency-Key\` (up to 255 characters): the same key and body within 24 hours get the same response again. ${OURS}

**Rate limit.** Each key has a token bucket. The headers \`RateLimit\` and \`RateLimit-Policy\` show its state; 429 with \`Retry-After\` means that it is empty. All replicas of the service share the bucket. ${OURS}

**Webhooks** are signed as the [Standard Webhooks](https://www.standardwebhooks.com) specification describes. ${OURS}`;

/** The OpenAPI 3.1 document of the public API. */
export function buildOpenApi(limits: Limits = DEFAULT_LIMITS): object {
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Tearsheet',
      version: '1',
      description: ABOUT,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { plain: [] }],
    tags: [
      { name: 'Creating', description: 'Create ads, and request screenshots of ads on sites.' },
      { name: 'Uploads', description: 'Store files of creatives, which requests then name.' },
      { name: 'Templates', description: 'Save site lists, and parts of requests, for later requests.' },
      { name: 'Site rules', description: 'Keep what the organization knows about sites.' },
      { name: 'Schedules', description: 'Repeat a request during a flight.' },
      { name: 'Reading', description: 'List and read campaigns, ads, sets and screenshots.' },
      { name: 'Reviewing', description: 'Approve, reject and cancel sets, and review pictures.' },
      { name: 'Sharing', description: 'Show a set to people who have no key.' },
      { name: 'Deliveries', description: 'Follow the delivery of events, and send them again.' },
      { name: 'Webhook endpoints', description: 'Manage the addresses that receive events.' },
      { name: 'Exports', description: 'Download a set as PPTX, PDF or ZIP.' },
      { name: 'Branding', description: 'Set the texts, colors and logo of exports.' },
      { name: 'Members', description: 'Invite people, and change their roles.' },
      { name: 'Settings', description: 'Change reviews, keys, webhooks and connectors of the organization.' },
    ],
    paths: paths(limits),
    webhooks: {
      ad: { post: webhook('receiveAdEvent', 'An ad was captured or failed.', AdEvent) },
      screenshot_set: { post: webhook('receiveScreenshotSetEvent', 'A set is ready.', ScreenshotSetEvent) },
      share: { post: webhook('receiveShareAnswerEvent', 'A client answered.', ShareAnswerEvent) },
      webhook_endpoint: {
        post: webhook('receiveWebhookEndpointEvent', 'An endpoint was disabled.', WebhookEndpointEvent),
      },
      test: { post: webhook('receiveTestEvent', 'A test event.', TestEvent) },
    },
    components: {
      schemas: { RequestWarning },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: '`Authorization: Bearer <key>`' },
        plain: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`Authorization: <key>`' },
      },
    },
  };
  return createDocument(document, { override: ({ jsonSchema }) => simplify(jsonSchema) });
}

function paths(limits: Limits): Record<string, ZodOpenApiPathItemObject> {
  const items: Record<string, ZodOpenApiPathItemObject> = {};
  for (const { path, method, operation } of publicRoutes(limits)) {
    const full = `/api/v1/orgs/{organization_slug}${path}`;
    items[full] = { ...items[full], [method]: operation };
  }
  return items;
}

/**
 * Shortens the document without changing its meaning. Responses may get new fields, so no object excludes others. This
 * also keeps one model for objects that responses and webhooks share.
 */
function simplify(schema: JsonSchema): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (typeof schema.propertyNames === 'object' && schema.propertyNames.pattern === undefined)
    delete schema.propertyNames;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // The format says as much as the pattern, and the service takes UUIDs of every version.
  if (schema.format === 'uuid' || schema.format === 'date-time') delete schema.pattern;
}

function webhook(operationId: string, summary: string, event: z.ZodType) {
  const headers = {
    'webhook-id': z.string().describe('The id of the event.'),
    'webhook-timestamp': z.string().describe('Seconds since 1970.'),
    'webhook-signature': z
      .string()
      .describe('`v1,<base64>`; several values, separated by spaces, while a secret is rotated.'),
  };
  const topics = WEBHOOK_TOPICS.filter((topic) => TOPIC_DESCRIPTIONS[topic].event === event);
  return {
    operationId,
    summary,
    description: topics.map((topic) => `\`${topic}\`: ${TOPIC_DESCRIPTIONS[topic].when}`).join('\n\n'),
    security: [],
    requestParams: { header: z.object(headers) },
    requestBody: { required: true, content: { 'application/json': { schema: event } } },
    responses: {
      '2XX': {
        description: 'Received. After any other response the service retries: 14 attempts over about 24 hours.',
      },
      '410': { description: `The receiver is gone: the service stops immediately. ${OURS}` },
    },
  };
}
