import type { Request, RequestHandler, Response } from 'express';
import { notFound } from '../../domain/failure.ts';
import type { Scope } from '../../domain/keys.ts';
import { isUuid } from '../../domain/slugs.ts';
import type { Caller } from '../../store/apiKeys.ts';
import type { Place } from '../../store/records.ts';
import { note } from '../server/accessLog.ts';
import { RateLimiter } from '../server/rateLimiter.ts';
import { authorize, callerOf } from './authentication.ts';
import type { PublicApiOptions } from './context.ts';

/** A request whose key has been checked. */
export interface Call {
  readonly request: Request;
  readonly response: Response;
  readonly caller: Caller;
  readonly organizationId: string;
  readonly place: Place;
}

export interface Answer {
  readonly status: number;
  /** JSON. */
  readonly text: string;
}

export const answer = (status: number, body: object): Answer => ({ status, text: JSON.stringify(body) });

export type Endpoint = (scope: Scope, handle: (call: Call) => Promise<Answer>) => RequestHandler;

/** Makes route handlers that check key, rate, organization, scope and whether it is disabled, in that order, before anything else. */
export function endpoints({ store, publicUrl, rateLimit }: PublicApiOptions): Endpoint {
  const limiter = rateLimit && new RateLimiter(rateLimit);
  return (scope, handle) => async (request, response) => {
    const caller = await callerOf(store.db, request);
    const { id, slug } = caller.organization;
    note(response, { organization_id: id, key_id: caller.keyId });
    limiter?.take(caller.keyId, response);
    authorize(caller, { slug: String(request.params['slug']), scope, publicUrl });
    const { status, text } = await handle({
      request,
      response,
      caller,
      organizationId: id,
      place: { publicUrl, slug },
    });
    response.status(status).set({ 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' });
    response.end(text);
  };
}

/** The UUID in the path. @throws Failure (404) for anything else, which is nobody's id. */
export function idOf(request: Request): string {
  const id = String(request.params['id']);
  if (!isUuid(id)) throw unknownId();
  return id;
}

export const unknownId = () => notFound('id', 'Nothing of this organization has this id.');
