import type { RequestHandler, Response } from 'express';
import type { Log } from '../../lib/log.ts';
import { requestIdOf } from './caller.ts';

export interface ServedRequest {
  readonly method: string;
  /** The pattern of the path, so that metrics have few values of this label. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
  /** The limit that the request exceeded. */
  readonly limit?: LimitKind | undefined;
}

/** Limits of rates and quotas. */
export type LimitKind = 'key_rate' | 'address_rate' | 'link_rate' | 'large_sets' | 'pictures_per_day' | 'exports';

const exceeded = new WeakMap<Response, LimitKind>();

/** Records for metrics that the request exceeded a limit. */
export function noteLimit(response: Response, limit: LimitKind): void {
  exceeded.set(response, limit);
}

/** As {@link noteLimit}, if the code is that of a quota. */
export function noteQuota(response: Response, code: string): void {
  if (code === 'quota_exceeded') noteLimit(response, 'pictures_per_day');
  if (code === 'too_many_exports') noteLimit(response, 'exports');
}

const extraFields = new WeakMap<Response, Record<string, string>>();

/** Adds fields to the log line of a request. */
export function addLogFields(response: Response, fields: Record<string, string>): void {
  extraFields.set(response, { ...extraFields.get(response), ...fields });
}

/**
 * Logs one line for each request when it ends. The line has no query and no headers, because those hold keys and signatures.
 * For the same reason, it has no token of a picture, an export, a share link, a sign-in, an invitation or an end of notices.
 */
export function accessLog(log: Log, observe: (served: ServedRequest) => void): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    // A router below shortens it while it runs.
    const sent = request.path;
    response.once('close', () => {
      const seconds = (performance.now() - started) / 1000;
      const { method } = request;
      const status = response.writableFinished ? response.statusCode : 499;
      const route = routeOf(request.route);
      observe({ method, route, status, seconds, limit: exceeded.get(response) });
      const path = shownPath(sent, route);
      const fields = { request_id: requestIdOf(response), method, path, route, status, ms: Math.round(seconds * 1000) };
      log.info({ ...fields, ...extraFields.get(response) }, 'request');
    });
    next();
  };
}

/** A path that no route has may be a mistyped address of a picture, a share link or an export. All of them have long tokens. */
function shownPath(path: string, route: string): string {
  const shown = path.replace(/^(\/[ise]|\/sign-in|\/invitations|\/unsubscribe|\/(?:un)?follow)\/.*/is, '$1/…');
  return route === NO_ROUTE ? shown.replace(LONG_WORDS, (word) => (UUID.test(word) ? word : '…')) : shown;
}

/** The route of a request whose path no route matches. */
export const NO_ROUTE = 'other';
const LONG_WORDS = /(?:[A-Za-z0-9_-]|%[0-9a-f]{2}){20,}/gi;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @returns the pattern of the route, for example `/ads/:id`; {@link NO_ROUTE} if none matched. */
export function routeOf(route: unknown): string {
  if (typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string')
    return route.path;
  return NO_ROUTE;
}
