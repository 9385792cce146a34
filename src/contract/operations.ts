/** The paths of the OpenAPI document. */
import { z } from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { CREATIVE_MAX_BYTES } from '../domain/ads.ts';
import type { Limits } from '../domain/limits.ts';
import { changeOperations } from './changeOperations.ts';
import { OURS } from './descriptions.ts';
import { eventOperations } from './eventOperations.ts';
import { NEW_AD, NEW_SCREENSHOTS, REVIEW_OF_A_SET } from './examples.ts';
import { exportOperations } from './exportOperations.ts';
import { idempotent } from './operationParts.ts';
import {
  AdsQuery,
  CampaignsQuery,
  DeliveriesQuery,
  ListQuery,
  ScreenshotsQuery,
  SetScreenshotsQuery,
  SetsQuery,
  UploadsQuery,
} from './queries.ts';
import {
  AdRecord,
  AdSummary,
  ApprovedScreenshot,
  CampaignRecord,
  DeliveryRecord,
  FailureRecord,
  ListedSet,
  listOf,
  ScreenshotDetailRecord,
  ScreenshotRecord,
  ScreenshotSetRecord,
  ScreenshotSetSummary,
  UploadRecord,
} from './records.ts';
import { ReviewBody, requestBodies } from './requests.ts';
import { retakeBodies } from './retakes.ts';
import { ScreenshotReviewBody } from './reviewing.ts';
import { settingOperations } from './settingOperations.ts';
import { SettingsBody, SettingsRecord } from './settings.ts';
import { NewShare, ShareRecord } from './sharing.ts';
import { newTemplate, TemplateRecord } from './templates.ts';
import { usageOperations } from './usage.ts';

const BASE = '/api/v1/orgs/{organization_slug}';
const organization = { organization_slug: z.string().describe('Slug of the organization.') };

const FAILURES = {
  400: 'The body is not JSON.',
  401: 'The key is missing, malformed, unknown, revoked or expired.',
  403: 'The organization is disabled (`errors.organization`), or the key lacks a scope (`errors.authorization`).',
  404: 'There is no such organization for this key, or no object with that id.',
  409: 'The first request with this Idempotency-Key is still running.',
  410: 'The object was deleted, or it was older than the organization keeps sets.',
  413: 'The body is too large.',
  415: 'The body is not `application/json`.',
  422: 'The body is invalid: all faults, by path.',
  429: 'Too many requests with this key, or more screenshots than the organization may request today (`quota_exceeded`).',
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

function list(operationId: string, summary: string, query: z.ZodObject, item: z.ZodType): ZodOpenApiOperationObject {
  return {
    operationId,
    summary,
    description: OURS,
    tags: ['Reading'],
    requestParams: { path: z.object(organization), query },
    responses: responses(200, listOf(item), [422]),
  };
}

const withId = (what: string) => z.object({ ...organization, id: z.uuid().describe(`Id of the ${what}.`) });

function one(
  operationId: string,
  what: string,
  schema: z.ZodType,
  failures: readonly FailureStatus[] = [],
): ZodOpenApiOperationObject {
  return {
    operationId,
    summary: `Read one ${what}`,
    description: `The same object as \`data.object\` of its event, in every status. ${OURS}`,
    tags: ['Reading'],
    requestParams: { path: withId(what) },
    responses: responses(200, schema, failures),
  };
}

function reviewing(operationId: string, summary: string, description: string): ZodOpenApiOperationObject {
  return {
    operationId,
    summary,
    description: `${description} ${OURS}`,
    tags: ['Reviewing'],
    requestParams: { path: withId('set') },
    requestBody: body(ReviewBody, REVIEW_OF_A_SET, false),
    responses: responses(200, ScreenshotSetRecord, [...BODY_FAILURES]),
  };
}

export function operations(limits: Limits): ZodOpenApiPathsObject {
  const { CreateAd, CreateScreenshotRequest } = requestBodies(limits);
  const changes = changeOperations({ withId, responses });
  return {
    [`${BASE}/ads`]: { post: creatingAd(CreateAd), get: list('listAds', 'List ads, newest first', AdsQuery, AdRecord) },
    [`${BASE}/ads/{id}`]: { get: one('getAd', 'ad', AdRecord, [410]), ...changes.ad },
    [`${BASE}/uploads`]: {
      post: uploading(),
      get: list('listUploads', 'List uploads, newest first', UploadsQuery, UploadRecord),
    },
    [`${BASE}/uploads/{id}`]: { get: readingUpload(), delete: deletingUpload() },
    ...templates(limits),
    [`${BASE}/screenshot_requests`]: { post: requesting(CreateScreenshotRequest) },
    [`${BASE}/campaigns`]: {
      get: list('listCampaigns', 'List campaigns, newest first', CampaignsQuery, CampaignRecord),
    },
    [`${BASE}/campaigns/{id}`]: {
      get: {
        ...one('getCampaign', 'campaign', CampaignRecord, [410]),
        description: `The same object as in the list. ${OURS}`,
      },
      ...changes.campaign,
    },
    [`${BASE}/screenshot_sets`]: {
      get: list('listScreenshotSets', 'List screenshot sets, newest first', SetsQuery, ListedSet),
    },
    [`${BASE}/screenshot_sets/{id}`]: {
      get: one('getScreenshotSet', 'screenshot set', ScreenshotSetRecord, [410]),
      ...changes.set,
    },
    [`${BASE}/screenshot_sets/{id}/screenshots`]: {
      get: {
        ...list('listScreenshotsOfSet', 'List the screenshots of a set', SetScreenshotsQuery, ScreenshotRecord),
        description: `In the order of the request, as in the set itself. ${OURS}`,
        requestParams: { path: withId('set'), query: SetScreenshotsQuery },
        responses: responses(200, listOf(ScreenshotRecord), [410, 422]),
      },
    },
    [`${BASE}/screenshot_sets/{id}/approve`]: {
      post: reviewing('approveScreenshotSet', 'Approve a set', 'From `in_review` to `approved`.'),
    },
    [`${BASE}/screenshot_sets/{id}/reject`]: {
      post: reviewing('rejectScreenshotSet', 'Reject a set', 'From `in_review` to `rejected`.'),
    },
    [`${BASE}/screenshot_sets/{id}/cancel`]: {
      post: reviewing(
        'cancelScreenshotSet',
        'Cancel a set',
        'Captured screenshots stay. The others become `canceled`.',
      ),
    },
    ...retakes(limits),
    ...shares,
    [`${BASE}/screenshots`]: {
      get: list('listScreenshots', 'List the screenshots of approved sets', ScreenshotsQuery, ApprovedScreenshot),
    },
    [`${BASE}/screenshots/{id}`]: {
      get: {
        ...one('getScreenshot', 'screenshot', ScreenshotDetailRecord, [410]),
        description: `In every status, also if its set is not approved. ${OURS}`,
      },
    },
    [`${BASE}/screenshots/{id}/review`]: {
      post: {
        operationId: 'reviewScreenshot',
        summary: 'Review one screenshot',
        description: `Approves or rejects a picture, or comments on it. A rejected picture stays in the set. It is not on shared pages, in the list of approved screenshots, or in later deliveries to buckets. ${OURS}`,
        tags: ['Reviewing'],
        requestParams: { path: withId('screenshot') },
        requestBody: body(ScreenshotReviewBody, { decision: 'rejected', comment: 'The logo is cut off.' }),
        responses: responses(200, ScreenshotRecord, [...BODY_FAILURES]),
      },
    },
    [`${BASE}/settings`]: {
      get: {
        operationId: 'getSettings',
        summary: 'Read the settings',
        description: OURS,
        tags: ['Settings'],
        requestParams: { path: z.object(organization) },
        responses: responses(200, SettingsRecord, []),
      },
      patch: {
        operationId: 'updateSettings',
        summary: 'Change settings',
        description: `Needs a key with the scope \`admin\`. ${OURS}`,
        tags: ['Settings'],
        requestParams: { path: z.object(organization) },
        requestBody: body(SettingsBody, { review: 'partial' }),
        responses: responses(200, SettingsRecord, BODY_FAILURES),
      },
    },
    ...usageOperations({ base: BASE, organization, withId, responses, list }),
    [`${BASE}/deliveries`]: {
      get: list('listDeliveries', 'List deliveries, newest first', DeliveriesQuery, DeliveryRecord),
    },
    [`${BASE}/deliveries/{id}/replay`]: {
      post: {
        operationId: 'replayDelivery',
        summary: 'Send a delivery again',
        description: `Its attempts start again, also while it waits for its next attempt. 409 before its first attempt, and if its webhook endpoint is disabled or deleted. ${OURS}`,
        tags: ['Deliveries'],
        requestParams: { path: withId('delivery'), header: idempotent },
        responses: responses(202, DeliveryRecord, [409, 422]),
      },
    },
    ...eventOperations({ base: BASE, responses, withId, organization, list }),
    ...exportOperations({ base: BASE, responses, withId, organization, list }),
    ...settingOperations({ base: BASE, responses, withId, organization, list }),
  };
}

function body(schema: z.ZodType, example: object, required = true) {
  return { required, content: { 'application/json': { schema, example } } };
}

function retakes(limits: Limits): ZodOpenApiPathsObject {
  const { RetakeScreenshot, RetakeSet } = retakeBodies(limits);
  const operation = (
    summary: string,
    description: string,
    given: { id: string; what: string; body: ZodOpenApiRequestBodyObject },
  ) => ({
    operationId: given.id,
    summary,
    description: `${description} The pictures and events of the old set do not change. 409 while the old set is captured. ${OURS}`,
    tags: ['Creating'],
    requestParams: { path: withId(given.what), header: idempotent },
    requestBody: given.body,
    responses: responses(202, ScreenshotSetRecord, BODY_FAILURES),
  });
  return {
    [`${BASE}/screenshots/{id}/retake`]: {
      post: operation('Take a screenshot again', 'Makes a new set with one screenshot, with the changes in the body.', {
        id: 'retakeScreenshot',
        what: 'screenshot',
        body: body(RetakeScreenshot, { site: { url: 'https://news.example/sport' } }, false),
      }),
    },
    [`${BASE}/screenshot_sets/{id}/retake`]: {
      post: operation(
        'Take screenshots of a set again',
        'Makes a new set with all screenshots, the failed ones or the named ones. 409 if no failed one is left.',
        {
          id: 'retakeScreenshotSet',
          what: 'set',
          body: body(RetakeSet, { which: 'all', options: { ad: { allow_scaling: true } } }, false),
        },
      ),
    },
    [`${BASE}/screenshot_sets/{id}/duplicate`]: {
      post: operation(
        'Duplicate a set',
        'Makes a new set with the same screenshots. It is no retake: the pages of the old set keep their pictures.',
        { id: 'duplicateScreenshotSet', what: 'set', body: body(RetakeScreenshot, { subscribers: [] }, false) },
      ),
    },
  };
}

const shares: ZodOpenApiPathsObject = {
  [`${BASE}/screenshot_sets/{id}/shares`]: {
    get: {
      ...list('listShares', 'List the share links of a set, newest first', ListQuery, ShareRecord),
      tags: ['Sharing'],
      requestParams: { path: withId('set'), query: ListQuery },
    },
    post: {
      operationId: 'createShare',
      summary: 'Create a share link',
      description: `Everybody who has its \`url\` sees the pictures of the set, without a key. ${OURS}`,
      tags: ['Sharing'],
      requestParams: { path: withId('set') },
      requestBody: body(NewShare, { label: 'For the client' }, false),
      responses: responses(201, ShareRecord, BODY_FAILURES),
    },
  },
  [`${BASE}/screenshot_sets/{id}/shares/{share_id}`]: {
    delete: {
      operationId: 'revokeShare',
      summary: 'Revoke a share link',
      description: `Its page is gone at once. ${OURS}`,
      tags: ['Sharing'],
      requestParams: {
        path: z.object({
          ...organization,
          id: z.uuid().describe('Id of the set.'),
          share_id: z.uuid().describe('Id of the link.'),
        }),
      },
      responses: responses(200, ShareRecord, []),
    },
  },
};

function creatingAd(schema: z.ZodType): ZodOpenApiOperationObject {
  return {
    operationId: 'createAd',
    summary: 'Create an ad (beta)',
    description: `Idempotent when a \`lookup_key\` is given: a second request with the same key and campaign gets 200 with the existing ad and ignores the name and media in the request. Its subscribers receive nothing. Paths of faults inside \`ad\` omit that prefix: \`media.content\`, \`name\`, \`lookup_key\`. ${OURS}`,
    tags: ['Creating'],
    requestParams: { path: z.object(organization), header: idempotent },
    requestBody: body(schema, NEW_AD),
    responses: {
      ...responses(201, AdSummary, BODY_FAILURES),
      '200': {
        description: 'An ad with the lookup key exists in the campaign: its current state.',
        content: { 'application/json': { schema: AdSummary } },
      },
    },
  };
}

const FILE = { type: 'string', format: 'binary' } as const;
const PIXEL = '<a href="https://shop.example"><img src="https://cdn.example/300x250.png" width="300" height="250"></a>';

function uploading(): ZodOpenApiOperationObject {
  const name = z
    .string()
    .optional()
    .meta({ example: 'banner_300x250.html' })
    .describe('Name of the file, for a raw body. It may say the size of the creative.');
  const form = { type: 'object' as const, properties: { file: FILE }, required: ['file'] };
  return {
    operationId: 'createUpload',
    summary: 'Upload a creative',
    description: `Stores a file for \`media: {"type":"upload","content":"<id>"}\`: as the raw body, or as the one file of \`multipart/form-data\`. The largest file has ${CREATIVE_MAX_BYTES.toLocaleString('en')} bytes. The service tells the format by the content. ${OURS}`,
    tags: ['Uploads'],
    requestParams: { path: z.object(organization), query: z.object({ name }) },
    requestBody: {
      required: true,
      content: {
        'application/octet-stream': { schema: FILE, example: PIXEL },
        'multipart/form-data': { schema: form, example: { file: PIXEL } },
      },
    },
    responses: {
      ...responses(201, UploadRecord, [400, 413, 422]),
      '200': {
        description: 'The organization has these bytes under this name: the existing upload, which now expires later.',
        content: { 'application/json': { schema: UploadRecord } },
      },
      '409': failing('The organization has too many uploads that no ad uses.'),
      '415': failing('The file is not a creative: the message says what it is and what to send.'),
    },
  };
}

function failing(description: string) {
  return { description, content: { 'application/json': { schema: FailureRecord } } };
}

function readingUpload(): ZodOpenApiOperationObject {
  return {
    operationId: 'getUpload',
    summary: 'Read one upload',
    description: `An expired upload does not exist any more. ${OURS}`,
    tags: ['Uploads'],
    requestParams: { path: withId('upload') },
    responses: responses(200, UploadRecord, []),
  };
}

function deletingUpload(): ZodOpenApiOperationObject {
  const { '200': _, ...rest } = responses(200, UploadRecord, []);
  return {
    operationId: 'deleteUpload',
    summary: 'Delete an upload that no ad uses',
    description: OURS,
    tags: ['Uploads'],
    requestParams: { path: withId('upload') },
    responses: { ...rest, '204': { description: 'Deleted.' }, '409': failing('An ad uses the upload, so it stays.') },
  };
}

const TEMPLATE = {
  name: 'News sites',
  sites: [{ url: 'https://news.example/' }, { url: 'https://blog.example/' }],
  devices: [{ name: 'desktop' }, { name: 'iphone' }],
  options: { ad: { allow_scaling: true } },
};

function templates(limits: Limits): ZodOpenApiPathsObject {
  const { '200': _, ...rest } = responses(200, TemplateRecord, []);
  return {
    [`${BASE}/templates`]: {
      get: list('listTemplates', 'List request templates, by name', ListQuery, TemplateRecord),
      post: {
        operationId: 'saveTemplate',
        summary: 'Save a request template',
        description: `Keeps sites, devices and options under a name, for later requests. People choose it on the page of a new request. ${OURS}`,
        tags: ['Templates'],
        requestParams: { path: z.object(organization) },
        requestBody: body(newTemplate(limits), TEMPLATE),
        responses: {
          ...responses(201, TemplateRecord, BODY_FAILURES),
          '200': {
            description: 'The organization had a template of this name. It was replaced.',
            content: { 'application/json': { schema: TemplateRecord } },
          },
          '409': failing('The organization has too many templates.'),
        },
      },
    },
    [`${BASE}/templates/{id}`]: {
      delete: {
        operationId: 'deleteTemplate',
        summary: 'Delete a request template',
        description: `Requests that were made with it stay. ${OURS}`,
        tags: ['Templates'],
        requestParams: { path: withId('template') },
        responses: { ...rest, '204': { description: 'Deleted.' } },
      },
    },
  };
}

function requesting(schema: z.ZodType): ZodOpenApiOperationObject {
  return {
    operationId: 'createScreenshotRequest',
    summary: 'Request screenshots',
    description: `The service places each ad on each of its sites and devices and makes one screenshot for each marker. If the request repeats an ad, site, device and marker, it gets one screenshot. ${OURS}`,
    tags: ['Creating'],
    requestParams: { path: z.object(organization), header: idempotent },
    requestBody: body(schema, NEW_SCREENSHOTS),
    responses: responses(202, ScreenshotSetSummary, BODY_FAILURES),
  };
}
