/** One operation of the API: its path, scope, query and body give most of its part of the OpenAPI document. */
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { FailureRecord, listOf } from '../../../contract/records.ts';
import { OURS } from '../../../contract/schemaParts.ts';
import type { Queryable } from '../../../db/database.ts';
import type { Scope } from '../../../domain/keys.ts';
import { COST } from '../../limits/costs.ts';
import { type Call, type JsonResponse, jsonResponse, NO_CONTENT, type Route, readOrFail } from '../endpoint.ts';
import { listQuery } from '../listQuery.ts';
import type { Services } from '../services.ts';

/** The end of each description. */
const ABOUT = { read: OURS, write: OURS, admin: `Needs a key with the scope \`admin\`. ${OURS}` } as const;

const TAGS = { get: 'Reading', post: 'Creating', put: 'Changing', patch: 'Changing', delete: 'Changing' } as const;

/** The tag of the paths that have one of these parts; the other paths have the tag of their method. */
const TAGS_OF_PARTS: Readonly<Record<string, readonly string[]>> = {
  Uploads: ['uploads'],
  Templates: ['templates', 'site_lists'],
  'Site rules': ['site_rules'],
  Schedules: ['schedules'],
  Reviewing: ['approve', 'reject', 'reopen', 'cancel', 'review', 'reviews', 'comments'],
  Deliveries: ['deliveries', 'events'],
  'Webhook endpoints': ['webhook_endpoints'],
  Branding: ['branding', 'logo'],
  Members: ['members', 'invitations'],
  Settings: ['settings', 'keys', 'webhook_secret', 'webhook_tests', 'connectors', 'audit_log'],
};

function tagOf(method: Route['method'], path: string): string {
  const parts = path.split('/');
  const found = Object.entries(TAGS_OF_PARTS).find(([, named]) => named.some((part) => parts.includes(part)));
  return found?.[0] ?? TAGS[method];
}

export const idOfA = (what: string) => z.uuid().describe(`Id of the ${what}.`);

/** @returns a handler that removes something in one transaction. */
export const removes =
  (remove: (tx: Queryable, call: Call, services: Services) => Promise<unknown>) =>
  async (call: Call, services: Services): Promise<JsonResponse> => {
    await services.store.db.transaction().execute((tx) => remove(tx, call, services));
    return NO_CONTENT;
  };

/** @returns a handler that changes something in one transaction, and answers with its record. */
export const changes =
  <Input, Row>(
    change: (tx: Queryable, call: Call & { readonly input: Input }, services: Services) => Promise<Row>,
    record: (row: Row, call: Call, services: Services) => object,
    status = 200,
  ) =>
  async (call: Call & { readonly input: Input }, services: Services): Promise<JsonResponse> => {
    const row = await services.store.db.transaction().execute((tx) => change(tx, call, services));
    return jsonResponse(status, record(row, call, services));
  };

/** The header of requests that can be repeated. */
const idempotencyKey = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      `The same key and body get the same response, from the same API key. If the response has a secret, the repeated request creates nothing and gets 409. ${OURS}`,
    ),
});

const DONE = { 200: 'Done.', 201: 'Created.', 202: 'Accepted. The service does the work afterwards.' } as const;

const FAILURES = {
  400: 'The body is not JSON.',
  401: 'The key is missing, malformed, unknown, revoked or expired.',
  403: 'The organization is disabled (`errors.organization`), or the key lacks a scope (`errors.authorization`).',
  404: 'There is no such organization for this key, or no object with that id.',
  409: 'The first request with this Idempotency-Key is still running, or its response had a secret and was not kept.',
  410: 'The object was deleted, or it was older than the organization keeps sets.',
  413: 'The body is too large.',
  415: 'The body is not `application/json`.',
  422: 'The body is invalid: all faults, by path.',
  429: 'Too many requests with this key, or more screenshots than the organization may request today (`quota_exceeded`).',
} as const;

type FailureStatus = keyof typeof FAILURES;

/** The failures of a request with a JSON body. */
const BODY_FAILURES = [400, 413, 415, 422] as const;

interface Body<S extends z.ZodType> {
  readonly schema: z.ZodType;
  readonly example: object;
  readonly isRequired: boolean;
  /** Reads the JSON for the handler; undefined if the handler does so itself. */
  readonly reads?: S;
}

/** @returns a body that the handler gets as the schema reads it. */
export const jsonBody = <S extends z.ZodType>(schema: S, example: object, isRequired = true): Body<S> => ({
  ...{ schema, example, isRequired, reads: schema },
});

/** @returns a body that the handler reads in parts, by the same schema, because some faults depend on the database. */
export const bodyInParts = (schema: z.ZodType, example: object, isRequired = true): Body<z.ZodUnknown> => ({
  ...{ schema, example, isRequired },
});

type Texts = Pick<ZodOpenApiOperationObject, 'operationId' | 'summary' | 'description' | 'tags' | 'requestBody'>;

interface Operation<Q extends z.ZodType, B extends z.ZodType>
  extends Texts,
    Pick<Route, 'cost' | 'secret' | 'readsSet' | 'maxBodyBytes'> {
  /** Those of its path; an id unless given. */
  readonly params?: z.ZodRawShape;
  readonly query?: Q;
  readonly body?: Body<B>;
  /** Whether the document has the header for repeated requests. */
  readonly idempotent?: boolean;
  /** 200 unless given. */
  readonly status?: keyof typeof DONE;
  /** The JSON of its response; for 204, the description. */
  readonly answer: z.ZodType | string;
  /** Those beside the failures of every request, body and query. */
  readonly failures?: readonly FailureStatus[];
  /** Other responses, and responses with other texts. */
  readonly responses?: Readonly<Record<string, ZodOpenApiResponseObject>>;
  readonly handler: (
    call: Call & { readonly query: z.output<Q>; readonly input: z.output<B> },
    services: Services,
  ) => Promise<JsonResponse>;
}

/**
 * @param at method and path.
 * @returns the operation, whose handler gets the query and the body as their schemas read them.
 */
export function route<Q extends z.ZodType, B extends z.ZodType>(
  at: `${Route['method']} /${string}`,
  scope: Scope,
  given: Operation<Q, B>,
): Route {
  const [method, path] = at.split(' ') as [Route['method'], string];
  const { cost, secret, readsSet, maxBodyBytes, handler, ...rest } = given;
  const { params = paramsOf(path), query, body, idempotent, status, answer, failures, responses, ...texts } = rest;
  const { description, tags = [tagOf(method, path)] } = texts;
  return {
    ...{ method, path, scope },
    ...(cost !== undefined && { cost }),
    ...(secret !== undefined && { secret }),
    ...(readsSet !== undefined && { readsSet }),
    ...(maxBodyBytes !== undefined && { maxBodyBytes }),
    operation: {
      ...texts,
      description: description?.endsWith(OURS) ? description : [description, ABOUT[scope]].filter(Boolean).join(' '),
      tags,
      requestParams: {
        path: z.object({ organization_slug: z.string().describe('Slug of the organization.'), ...params }),
        ...(query instanceof z.ZodObject && { query }),
        ...(idempotent && { header: idempotencyKey }),
      },
      ...(body && { requestBody: { required: body.isRequired, content: json(body.schema, body.example) } }),
      responses: { ...responsesOf(given), ...responses },
    },
    handler: async (call, services) => {
      const read = {
        query: query && readOrFail(query, listQuery(call.request)),
        input: body?.reads && readOrFail(body.reads, call.body.value),
      };
      return handler({ ...call, ...read } as Parameters<typeof handler>[0], services);
    },
  };
}

/** The id of `/site_lists/{id}` and the paths below it. */
function paramsOf(path: string): z.ZodRawShape {
  const plural = /_?([a-z]+)\/\{id\}/.exec(path)?.[1];
  return plural === undefined ? {} : { id: idOfA(plural.replace(/ies$/, 'y').replace(/s$/, '')) };
}

type Answer = Pick<Operation<z.ZodType, z.ZodType>, 'query' | 'body' | 'status' | 'answer' | 'failures'>;

function responsesOf({ query, body, status = 200, answer, failures = [] }: Answer) {
  const failing = [401, 403, 404, 429, ...(body ? BODY_FAILURES : query ? [422 as const] : []), ...failures] as const;
  return {
    ...(typeof answer === 'string'
      ? { 204: { description: answer } }
      : { [status]: { description: DONE[status], content: json(answer) } }),
    ...Object.fromEntries(failing.map((one) => [`${one}`, failure(FAILURES[one])])),
    default: failure('Any other failure, in the same shape.'),
  };
}

const json = (schema: z.ZodType, example?: object) => ({
  'application/json': { schema, ...(example && { example }) },
});

export const failure = (description: string) => ({ description, content: json(FailureRecord) });

/** A response beside the usual one. */
export const other = (description: string, schema: z.ZodType) => ({ description, content: json(schema) });

/** The parts of a list. */
export const list = <Q extends z.ZodType>(operationId: string, summary: string, query: Q, item: z.ZodType) => ({
  cost: COST.list,
  ...{ operationId, summary, description: '', query, answer: listOf(item) },
});

/** The parts of an object that is also the content of an event. */
export const one = (operationId: string, what: string, answer: z.ZodType) => ({
  ...{ operationId, summary: `Read one ${what}`, answer, failures: [410] as const },
  description: 'The same object as `data.object` of its event, in every status.',
});

export const removing = (operationId: string, what: string, description: string) => ({
  ...{ operationId, summary: `Delete ${what === 'ad' ? 'an' : 'a'} ${what}` },
  description: `${description} A second request changes nothing.`,
  ...{ answer: 'Deleted.', failures: [409] as const },
});
