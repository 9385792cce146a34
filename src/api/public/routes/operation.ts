/** The parts that the operations of the API share. */
import { z } from 'zod';
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { FailureRecord, listOf } from '../../../contract/records.ts';
import { OURS } from '../../../contract/schemaParts.ts';

export const ADMIN = `Needs a key with the scope \`admin\`. ${OURS}`;

/** The parameter of all paths. */
export const organization = { organization_slug: z.string().describe('Slug of the organization.') };

export const withId = (what: string) => z.object({ ...organization, id: z.uuid().describe(`Id of the ${what}.`) });

/** The header of requests that can be repeated. */
export const idempotent = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(`The same key and body get the same response. ${OURS}`),
});

const DONE = { 200: 'Done.', 201: 'Created.', 202: 'Accepted. The service does the work afterwards.' } as const;

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

/** The failures of a request with a JSON body. */
export const BODY_FAILURES = [400, 413, 415, 422] as const;

export function responses(
  status: keyof typeof DONE,
  schema: z.ZodType,
  failures: readonly FailureStatus[] = [],
): ZodOpenApiResponsesObject {
  return {
    [`${status}`]: { description: DONE[status], content: { 'application/json': { schema } } },
    ...failing(failures),
  };
}

/** The responses of an operation that answers 204. */
export function emptyResponses(description: string, failures: readonly FailureStatus[] = []) {
  return { ...failing(failures), 204: { description } };
}

function failing(failures: readonly FailureStatus[]): Record<string, ZodOpenApiResponseObject> {
  const statuses = [401, 403, 404, 429, ...failures] as const;
  return {
    ...Object.fromEntries(statuses.map((status) => [`${status}`, failure(FAILURES[status])])),
    default: failure('Any other failure, in the same shape.'),
  };
}

export const failure = (description: string): ZodOpenApiResponseObject => ({
  description,
  content: { 'application/json': { schema: FailureRecord } },
});

export function jsonBody(schema: z.ZodType, example: object, required = true): ZodOpenApiRequestBodyObject {
  return { required, content: { 'application/json': { schema, example } } };
}

export function list(
  operationId: string,
  summary: string,
  query: z.ZodObject,
  item: z.ZodType,
): ZodOpenApiOperationObject {
  return {
    operationId,
    summary,
    description: OURS,
    tags: ['Reading'],
    requestParams: { path: z.object(organization), query },
    responses: responses(200, listOf(item), [422]),
  };
}

/** An object that is also the content of an event. */
export function one(operationId: string, what: string, schema: z.ZodType): ZodOpenApiOperationObject {
  return {
    operationId,
    summary: `Read one ${what}`,
    description: `The same object as \`data.object\` of its event, in every status. ${OURS}`,
    tags: ['Reading'],
    requestParams: { path: withId(what) },
    responses: responses(200, schema, [410]),
  };
}

export function removing(operationId: string, what: string, description: string): ZodOpenApiOperationObject {
  return {
    operationId,
    summary: `Delete ${what === 'ad' ? 'an' : 'a'} ${what}`,
    description: `${description} A second request changes nothing. ${OURS}`,
    tags: ['Changing'],
    requestParams: { path: withId(what) },
    responses: emptyResponses('Deleted.', [409]),
  };
}
