/** The paths of the OpenAPI document. */
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { Limits } from '../domain/limits.ts';
import { OURS } from './descriptions.ts';
import { AdsQuery, CampaignsQuery, DeliveriesQuery, ScreenshotsQuery, SetsQuery } from './queries.ts';
import {
  AdRecord,
  AdSummary,
  ApprovedScreenshot,
  CampaignRecord,
  DeliveryRecord,
  FailureRecord,
  ListedSet,
  listOf,
  ScreenshotSetRecord,
  ScreenshotSetSummary,
} from './records.ts';
import { ReviewBody, requestBodies } from './requests.ts';

const BASE = '/api/v1/orgs/{organization_slug}';
const organization = { organization_slug: z.string().describe('Slug of the organization.') };
const idempotent = z.object({
  'Idempotency-Key': z.string().max(255).optional().describe(`The same key and body get the same response. ${OURS}`),
});

const FAILURES = {
  400: 'The body is not JSON.',
  401: 'The key is missing, malformed, unknown, revoked or expired.',
  403: 'The organization is disabled (`errors.organization`), or the key lacks a scope (`errors.authorization`).',
  404: 'There is no such organization for this key, or no object with that id.',
  409: 'The first request with this Idempotency-Key is still running.',
  413: 'The body is too large.',
  415: 'The body is not `application/json`.',
  422: 'The body is invalid: all faults, by path.',
  429: 'Too many requests with this key.',
} as const;

type FailureStatus = keyof typeof FAILURES;

function responses(
  status: 200 | 201 | 202,
  schema: z.ZodType,
  failures: readonly FailureStatus[],
): ZodOpenApiResponsesObject {
  const content = { 'application/json': { schema: FailureRecord } };
  const failing = [401, 403, 404, 429, ...failures] as const;
  return {
    [`${status}`]: { description: DONE[status], content: { 'application/json': { schema } } },
    ...Object.fromEntries(failing.map((failure) => [`${failure}`, { description: FAILURES[failure], content }])),
    default: { description: 'Any other failure, in the same shape.', content },
  };
}

const DONE = { 200: 'Done.', 201: 'Created.', 202: 'Accepted. The service does the work afterwards.' } as const;
const BODY_FAILURES = [400, 409, 413, 415, 422] as const;

function list(summary: string, query: z.ZodObject, item: z.ZodType): ZodOpenApiOperationObject {
  return {
    summary,
    description: OURS,
    tags: ['Reading'],
    requestParams: { path: z.object(organization), query },
    responses: responses(200, listOf(item), [422]),
  };
}

const withId = (what: string) => z.object({ ...organization, id: z.uuid().describe(`Id of the ${what}.`) });

function one(what: string, schema: z.ZodType): ZodOpenApiOperationObject {
  return {
    summary: `Read one ${what}`,
    description: `The same object as \`data.object\` of its event, in every status. ${OURS}`,
    tags: ['Reading'],
    requestParams: { path: withId(what) },
    responses: responses(200, schema, []),
  };
}

function reviewing(summary: string, description: string): ZodOpenApiOperationObject {
  return {
    summary,
    description: `${description} ${OURS}`,
    tags: ['Reviewing'],
    requestParams: { path: withId('set') },
    requestBody: { required: false, content: { 'application/json': { schema: ReviewBody } } },
    responses: responses(200, ScreenshotSetRecord, [...BODY_FAILURES]),
  };
}

export function operations(limits: Limits): ZodOpenApiPathsObject {
  const { CreateAd, CreateScreenshotRequest } = requestBodies(limits);
  return {
    [`${BASE}/ads`]: { post: creatingAd(CreateAd), get: list('List ads, newest first', AdsQuery, AdRecord) },
    [`${BASE}/ads/{id}`]: { get: one('ad', AdRecord) },
    [`${BASE}/screenshot_requests`]: { post: requesting(CreateScreenshotRequest) },
    [`${BASE}/campaigns`]: { get: list('List campaigns, newest first', CampaignsQuery, CampaignRecord) },
    [`${BASE}/screenshot_sets`]: { get: list('List screenshot sets, newest first', SetsQuery, ListedSet) },
    [`${BASE}/screenshot_sets/{id}`]: { get: one('screenshot set', ScreenshotSetRecord) },
    [`${BASE}/screenshot_sets/{id}/approve`]: { post: reviewing('Approve a set', 'From `in_review` to `approved`.') },
    [`${BASE}/screenshot_sets/{id}/reject`]: { post: reviewing('Reject a set', 'From `in_review` to `rejected`.') },
    [`${BASE}/screenshot_sets/{id}/cancel`]: {
      post: reviewing('Cancel a set', 'Captured screenshots stay. The others become `canceled`.'),
    },
    [`${BASE}/screenshots`]: {
      get: list('List the screenshots of approved sets', ScreenshotsQuery, ApprovedScreenshot),
    },
    [`${BASE}/deliveries`]: { get: list('List deliveries, newest first', DeliveriesQuery, DeliveryRecord) },
    [`${BASE}/deliveries/{id}/replay`]: {
      post: {
        summary: 'Send a delivery again',
        description: `Its attempts start again. ${OURS}`,
        tags: ['Deliveries'],
        requestParams: { path: withId('delivery') },
        responses: responses(202, DeliveryRecord, [409]),
      },
    },
  };
}

function creatingAd(schema: z.ZodType): ZodOpenApiOperationObject {
  return {
    summary: 'Create an ad (beta)',
    description: `Idempotent when a \`lookup_key\` is given: a second request with the same key and campaign gets 200 with the existing ad and ignores the name and media in the request. Its subscribers receive nothing. Paths of faults inside \`ad\` omit that prefix: \`media.content\`, \`name\`, \`lookup_key\`. ${OURS}`,
    tags: ['Creating'],
    requestParams: { path: z.object(organization), header: idempotent },
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: {
      ...responses(201, AdSummary, BODY_FAILURES),
      '200': {
        description: 'An ad with the lookup key exists in the campaign: its current state.',
        content: { 'application/json': { schema: AdSummary } },
      },
    },
  };
}

function requesting(schema: z.ZodType): ZodOpenApiOperationObject {
  return {
    summary: 'Request screenshots',
    description: `The service places each ad on each of its sites and devices and makes one screenshot for each marker. If the request repeats an ad, site, device and marker, it gets one screenshot. ${OURS}`,
    tags: ['Creating'],
    requestParams: { path: z.object(organization), header: idempotent },
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: responses(202, ScreenshotSetSummary, BODY_FAILURES),
  };
}
