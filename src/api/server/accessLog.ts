import type { RequestHandler, Response } from 'express';
import type { Log } from '../../lib/log.ts';
import { requestIdOf } from './requestId.ts';

export interface ServedRequest {
  readonly method: string;
  /** The pattern of the path, so that metrics have few values of this label. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

const extraFields = new WeakMap<Response, Record<string, string>>();

/** Adds fields to the log line of a request. */
export function addLogFields(response: Response, fields: Record<string, string>): void {
  extraFields.set(response, { ...extraFields.get(response), ...fields });
}

/**
 * Logs one line for each request when it ends. The line has no query, no headers and no token of a picture, a share link or a sign-in,
 * because those hold keys and signatures.
 */
export function accessLog(log: Log, observe: (served: ServedRequest) => void): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    const path = request.path.replace(/^(\/[is]|\/o\/[^/]+\/sign-in)\/.*/s, '$1/…');
    response.once('close', () => {
      const seconds = (performance.now() - started) / 1000;
      const { method } = request;
      const status = response.writableFinished ? response.statusCode : 499;
      const route = routeOf(request.route);
      observe({ method, route, status, seconds });
      const fields = { request_id: requestIdOf(response), method, path, route, status, ms: Math.round(seconds * 1000) };
      log.info({ ...fields, ...extraFields.get(response) }, 'request');
    });
    next();
  };
}

function routeOf(route: unknown): string {
  if (typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string')
    return route.path;
  return 'other';
}
