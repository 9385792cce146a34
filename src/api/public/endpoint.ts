import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { Faults } from '../../contract/faults.ts';
import { wasRemoved } from '../../core/journal/tombstones.ts';
import type { Queryable } from '../../db/database.ts';
import type { OrganizationLinks } from '../../domain/addresses.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { Failure, invalid, removedObject, unknownId } from '../../domain/failure.ts';
import type { Scope } from '../../domain/keys.ts';
import { isUuid } from '../../domain/slugs.ts';
import { authorize, readApiKey, requireOwner } from '../auth/apiKeys.ts';
import { COST } from '../limits/costs.ts';
import { createKeyChecker } from '../limits/keyChecker.ts';
import { inTurnOfSet } from '../limits/turns.ts';
import { addLogFields } from '../server/accessLog.ts';
import { actorOf } from '../server/caller.ts';
import { checkRequest, type JsonBody, NO_BODY, shapeOf, withWarnings } from './requestBody.ts';
import type { Services } from './services.ts';

/** A request whose key has been checked. */
export interface Call {
  readonly request: Request;
  readonly response: Response;
  readonly organizationId: string;
  /** Id of the key that the request sends. */
  readonly keyId: string;
  /** The same, for the audit log. */
  readonly actor: Actor;
  readonly place: OrganizationLinks;
  /** The JSON of the request; empty for operations without a JSON body. */
  readonly body: JsonBody;
  /** Takes a further cost from the rate of the key. @throws Failure (429) */
  charge(cost: number): Promise<void>;
}

export interface JsonResponse {
  readonly status: number;
  /** JSON; empty for 204 and 304. */
  readonly text: string;
  /** The entity tag; made from the text unless given. */
  readonly tag?: string | undefined;
}

export const jsonResponse = (status: number, body: object): JsonResponse => ({ status, text: JSON.stringify(body) });

export const NO_CONTENT: JsonResponse = { status: 204, text: '' };

/** @throws Failure (404) without a record. */
export const foundResponse = (status: number, record: object | undefined): JsonResponse =>
  foundText(status, record && JSON.stringify(record));

/** @param text JSON. @throws Failure (404) without it. */
export function foundText(status: number, text: string | undefined): JsonResponse {
  if (text === undefined) throw unknownId();
  return { status, text };
}

export type Handler = (call: Call, services: Services) => Promise<JsonResponse>;

/** Everything about one operation of the public API. `routes/` has all of them. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `/api/v1/orgs/{organization_slug}`, as in the OpenAPI document. */
  readonly path: string;
  readonly scope: Scope;
  /** Tokens that a request takes from the rate of its key; 1 unless given. */
  readonly cost?: number;
  /** Whether its answers hold secrets, which no cache may keep; as for all routes with the scope "admin" unless given. */
  readonly secret?: boolean;
  /** Whether it reads or changes all pictures of the set in its path, so that it waits for its turn if the set is large. */
  readonly readsSet?: boolean;
  /** The largest JSON body; that of all bodies unless given. */
  readonly maxBodyBytes?: number;
  /** Its parameters, bodies and texts in the OpenAPI document. */
  readonly operation: ZodOpenApiOperationObject;
  readonly handler: Handler;
}

/**
 * @returns a request handler that checks key, rate limit, organization, scope, whether the organization is disabled, unknown query
 *   parameters and the form of the body, in this order.
 */
export function endpoint(services: Services, route: Route): RequestHandler {
  const { store, publicUrl, requestLimits, keyChecker = createKeyChecker({ db: store.db }) } = services;
  const { scope, cost = COST.usual, secret = scope === 'admin' } = route;
  const shape = shapeOf(route.operation, route.maxBodyBytes);
  return async (request, response) => {
    const slug = String(request.params['slug']);
    const key = readApiKey(request);
    const caller = requireOwner(await keyChecker.find(request, key));
    const { keyId } = caller;
    const organizationId = caller.organization.id;
    addLogFields(response, { organization_id: organizationId, key_id: keyId });
    const charge = (tokens: number) => requestLimits?.take(keyId, tokens, response) ?? Promise.resolve();
    await charge(cost);
    authorize(caller, { slug, scope, publicUrl });
    const takeBytes = (bytes: number) => requestLimits?.takeBytes(organizationId, bytes, response);
    const { body = NO_BODY, warnings } = await checkRequest(request, response, { shape, takeBytes });
    const actor = actorOf({ request, response }, { type: 'api_key', keyId });
    const place = { publicUrl, slug };
    const call = { request, response, organizationId, keyId, actor, place, body, charge };
    const handle = () => route.handler(call, services);
    const handled = route.readsSet ? inTurnOfSet(store.db, { ...refOf(call), response }, handle) : handle();
    const answer = await handled.catch((error: unknown) => answerRemoved(store.db, call, error));
    send(call, { ...answer, text: withWarnings(answer.text, warnings()) }, secret);
  };
}

/**
 * An object that was removed answers 410 in all its routes, and a second DELETE answers 204 as the first one did.
 * @throws the error if it is about something else.
 */
async function answerRemoved(db: Queryable, { request, organizationId }: Call, error: unknown): Promise<JsonResponse> {
  const isMissing = error instanceof Failure && error.code === 'not_found';
  const id = Object.values(request.params).at(-1);
  const ids = isMissing
    ? Object.values(request.params)
        .flat()
        .filter((text) => text !== undefined && isUuid(text))
    : [];
  for (const one of ids) {
    if (!(await wasRemoved(db, { id: String(one).toLowerCase(), organizationId }))) continue;
    if (request.method === 'DELETE' && one === id) return NO_CONTENT;
    throw removedObject();
  }
  throw error;
}

/** Answers 304 if the client already has the answer to its GET. */
function send({ request, response }: Call, { status, text, tag: given }: JsonResponse, secret: boolean): void {
  if (status === 204) {
    response.status(status).set('Cache-Control', 'no-store').end();
    return;
  }
  const isRead = (status === 200 || status === 304) && (request.method === 'GET' || request.method === 'HEAD');
  response.set('Cache-Control', isRead && !secret ? 'private, no-cache' : 'no-store');
  if (isRead) {
    const tag = given ?? tagOf(text);
    response.set('ETag', tag).vary('Authorization').vary('Prefer');
    if (hasTag(request, tag)) {
      response.status(304).end();
      return;
    }
  }
  response.status(status).set('Content-Type', 'application/json; charset=utf-8').end(text);
}

/** @returns a UUID in the path. @throws Failure (404) if it is not a UUID, because no object has such an id. */
export function idOf(request: Request, parameter = 'id'): string {
  const id = String(request.params[parameter]).toLowerCase();
  if (!isUuid(id)) throw unknownId();
  return id;
}

/** @returns the id in the path with the organization of the key. @throws Failure (404) if it is not a UUID. */
export const refOf = ({ request, organizationId }: Call) => ({ id: idOf(request), organizationId });

/** @returns the parsed value. @throws Failure (422) with all its faults. */
export function readOrFail<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const faults = new Faults();
  const parsed = faults.read(schema, value, '');
  if (parsed === undefined) throw invalid(faults.errors);
  return parsed;
}

/** @returns an entity tag (RFC 9110, section 13.1.2), which is the same for the same text. */
export const tagOf = (text: string): string =>
  `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;

/** @returns whether `If-None-Match` names the tag, weak or strong, or any tag with `*`. */
export function hasTag(request: Request, tag: string): boolean {
  const given = (request.headersDistinct['if-none-match'] ?? []).join(',');
  if (given.trim() === '*') return true;
  const tags: readonly string[] = given.match(/"[^"]*"/g) ?? [];
  return tags.includes(tag);
}
