import type { Request, RequestHandler, Response } from 'express';
import { notFound } from '../../domain/failure.ts';
import type { Scope } from '../../domain/keys.ts';
import { isUuid } from '../../domain/slugs.ts';
import type { Queryable } from '../../store/database/database.ts';
import { authorize, findKeyOwner, readApiKey } from '../auth/apiKeys.ts';
import { KeyMemory } from '../auth/keyMemory.ts';
import type { OrganizationLinks } from '../presenters/records.ts';
import { addLogFields } from '../server/accessLog.ts';
import type { PublicApiOptions } from './options.ts';
import { limitRequests } from './rateLimit.ts';

export interface Remembered {
  readonly keyId: string;
  /** Looks the key up in PostgreSQL. @throws Failure, as the check at the start of every other request. */
  readonly recheck: (db: Queryable) => Promise<void>;
}

/** A request whose key has been checked. */
export interface AuthorizedRequest {
  readonly request: Request;
  readonly response: Response;
  readonly organizationId: string;
  readonly place: OrganizationLinks;
  /** Set if the key was valid within the last second and was not looked up for this request. */
  readonly remembered: Remembered | undefined;
}

export interface JsonResponse {
  readonly status: number;
  /** JSON. */
  readonly text: string;
}

export const jsonResponse = (status: number, body: object): JsonResponse => ({ status, text: JSON.stringify(body) });

export interface EndpointOptions {
  /** Accepts a key that was valid within the last second. The handler must then use `remembered`. */
  readonly remember?: boolean;
}

export type Endpoint = (
  scope: Scope,
  handle: (call: AuthorizedRequest) => Promise<JsonResponse>,
  options?: EndpointOptions,
) => RequestHandler;

/** @returns a factory of route handlers that check key, rate limit, organization, scope and whether the organization is disabled, in this order. */
export function endpoints({ store, publicUrl, rateLimit }: PublicApiOptions): Endpoint {
  const limitRate = rateLimit && limitRequests(rateLimit);
  const memory = new KeyMemory();
  return (scope, handle, { remember = false } = {}) =>
    async (request, response) => {
      const slug = String(request.params['slug']);
      const key = readApiKey(request);
      const known = remember ? memory.find(key) : undefined;
      const caller = known ?? (await findKeyOwner(store.db, key));
      // Looks a disabled organization up at each request, so that it works as soon as it is enabled.
      if (remember && known === undefined && !caller.organization.disabled) memory.keep(key, caller);
      const { id } = caller.organization;
      addLogFields(response, { organization_id: id, key_id: caller.keyId });
      limitRate?.(caller.keyId, response);
      authorize(caller, { slug, scope, publicUrl });
      const recheck = async (db: Queryable) => {
        memory.forget(caller.keyId);
        authorize(await findKeyOwner(db, key), { slug, scope, publicUrl });
      };
      const remembered = known && { keyId: caller.keyId, recheck };
      const call = { request, response, organizationId: id, place: { publicUrl, slug }, remembered };
      const { status, text } = await handle(call);
      response.status(status).set({ 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' });
      response.end(text);
    };
}

/** @returns the UUID in the path. @throws Failure (404) if it is not a UUID, because no object has such an id. */
export function idOf(request: Request): string {
  const id = String(request.params['id']);
  if (!isUuid(id)) throw unknownId();
  return id;
}

export const unknownId = () => notFound('id', 'This organization has no object with this id.');
