import type { Request, RequestHandler, Response } from 'express';
import type { z } from 'zod';
import { Faults } from '../../contract/faults.ts';
import { requestShapes } from '../../contract/requestShapes.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { Failure, gone, invalid, unknownId } from '../../domain/failure.ts';
import type { Scope } from '../../domain/keys.ts';
import { isUuid } from '../../domain/slugs.ts';
import { jsonSteps } from '../../lib/jsonSteps.ts';
import { runInSlices } from '../../lib/slices.ts';
import type { Queryable } from '../../store/database/database.ts';
import { authenticate } from '../../store/organizations/apiKeys.ts';
import { wasRemoved } from '../../store/removal/tombstones.ts';
import type { RememberedKey } from '../../workflow/acceptance/acceptAd.ts';
import { authorize, readApiKey, requireOwner } from '../auth/apiKeys.ts';
import { KeyMemory } from '../auth/keyMemory.ts';
import { costOf } from '../limits/costs.ts';
import { createKeyChecker } from '../limits/keyChecker.ts';
import type { OrganizationLinks } from '../presenters/records.ts';
import { addLogFields } from '../server/accessLog.ts';
import { actorOf } from '../server/actor.ts';
import { entityTagSteps, hasTag } from './entityTag.ts';
import type { PublicApiOptions } from './options.ts';
import { beginCheck, withRequestWarnings } from './requestCheck.ts';

/** A request whose key has been checked. */
export interface AuthorizedRequest {
  readonly request: Request;
  readonly response: Response;
  readonly organizationId: string;
  /** Id of the key that the request sends. */
  readonly keyId: string;
  /** The same, for the audit log. */
  readonly actor: Actor;
  readonly place: OrganizationLinks;
  /** Set if the key was valid within the last second and was not looked up for this request. */
  readonly remembered: RememberedKey | undefined;
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

/** As {@link jsonResponse}, for a record with a long list. */
export const longJsonResponse = async (status: number, body: object): Promise<JsonResponse> => ({
  status,
  text: await runInSlices(jsonSteps(body)),
});

export interface EndpointOptions {
  /** Accepts a key that was valid within the last second. The handler must then use `remembered`. */
  readonly remember?: boolean;
  /** Its answers hold secrets, which no cache may keep. */
  readonly secret?: boolean;
}

export type Endpoint = (
  scope: Scope,
  handle: (call: AuthorizedRequest) => Promise<JsonResponse>,
  options?: EndpointOptions,
) => RequestHandler;

/** @returns a factory of route handlers that check key, rate limit, organization, scope, whether the organization is disabled, and unknown query parameters, in this order. */
export function endpoints(options: PublicApiOptions): Endpoint {
  const { store, publicUrl, requestLimits, limits } = options;
  const { keyChecker = createKeyChecker({ db: store.db }) } = options;
  const memory = new KeyMemory();
  const shapeOf = requestShapes(limits);
  return (scope, handle, { remember = false, secret = scope === 'admin' } = {}) =>
    async (request, response) => {
      const slug = String(request.params['slug']);
      const key = readApiKey(request);
      const known = remember ? memory.find(key) : undefined;
      const caller = known ?? requireOwner(await keyChecker.find(request, key));
      // Looks a disabled organization up at each request, so that it works as soon as it is enabled.
      if (remember && known === undefined && !caller.organization.disabled) memory.keep(key, caller);
      const { id } = caller.organization;
      addLogFields(response, { organization_id: id, key_id: caller.keyId });
      const charge = (cost: number) => requestLimits?.take(caller.keyId, cost, response) ?? Promise.resolve();
      await charge(costOf(request.method, String(request.route.path)));
      authorize(caller, { slug, scope, publicUrl });
      beginCheck(request, response, shapeOf(request.method, String(request.route.path)));
      const recheck = async (db: Queryable) => {
        memory.forget(caller.keyId);
        authorize(requireOwner(await authenticate(db, key)), { slug, scope, publicUrl });
      };
      const remembered = known && { keyId: caller.keyId, recheck };
      const { keyId } = caller;
      const actor = actorOf({ request, response }, { type: 'api_key', keyId });
      const place = { publicUrl, slug };
      const call = { request, response, organizationId: id, keyId, actor, place, remembered, charge };
      const { status, text, tag } = await handle(call).catch((error: unknown) => answerRemoved(store.db, call, error));
      if (status === 204) {
        response.status(status).set('Cache-Control', 'no-store').end();
        return;
      }
      await send(call, { status, text: status === 304 ? '' : withRequestWarnings(request, text), tag }, secret);
    };
}

/**
 * An object that was removed answers 410 in all its routes, and a second DELETE answers 204 as the first one did.
 * @throws the error if it is about something else.
 */
async function answerRemoved(
  db: Queryable,
  { request, organizationId }: AuthorizedRequest,
  error: unknown,
): Promise<JsonResponse> {
  const isMissing = error instanceof Failure && error.code === 'not_found';
  const id = Object.values(request.params).at(-1);
  const ids = isMissing
    ? Object.values(request.params)
        .flat()
        .filter((text) => text !== undefined && isUuid(text))
    : [];
  for (const one of ids) {
    if (!(await wasRemoved(db, { id: String(one).toLowerCase(), organizationId }))) continue;
    if (request.method === 'DELETE' && one === id) return { status: 204, text: '' };
    throw gone('id', 'This object was deleted, or it was older than the organization keeps sets.');
  }
  throw error;
}

/** Answers 304 if the client has the answer to its GET already. */
async function send(
  { request, response }: AuthorizedRequest,
  { status, text, tag: given }: JsonResponse,
  secret: boolean,
): Promise<void> {
  const isRead = (status === 200 || status === 304) && (request.method === 'GET' || request.method === 'HEAD');
  response.set('Cache-Control', isRead && !secret ? 'private, no-cache' : 'no-store');
  if (isRead) {
    const tag = given ?? (await runInSlices(entityTagSteps(text)));
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

/** @returns the parsed value. @throws Failure (422) with all its faults. */
export function readOrFail<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const faults = new Faults();
  const parsed = faults.read(schema, value, '');
  if (parsed === undefined) throw invalid(faults.errors);
  return parsed;
}
