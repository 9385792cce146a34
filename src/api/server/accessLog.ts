import type { RequestHandler, Response } from 'express';
import type { Log } from '../../lib/log.ts';
import { requestIdOf } from './requestId.ts';

export interface ServedRequest {
  readonly method: string;
  /** The pattern of the path, so that there are few. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

const notes = new WeakMap<Response, Record<string, string>>();

/** Adds fields to the line that will be written about a request. */
export function addLogFields(response: Response, fields: Record<string, string>): void {
  notes.set(response, { ...notes.get(response), ...fields });
}

/** One line a request when it is over: without its query and headers, in which keys and signatures are, and without a picture's token. */
export function accessLog(log: Log, observe: (served: ServedRequest) => void): RequestHandler {
  return (request, response, next) => {
    const started = performance.now();
    const path = request.path.startsWith('/i/') ? '/i/…' : request.path;
    response.once('close', () => {
      const seconds = (performance.now() - started) / 1000;
      const { method } = request;
      const status = response.writableFinished ? response.statusCode : 499;
      const route = routeOf(request.route);
      observe({ method, route, status, seconds });
      const fields = { request_id: requestIdOf(response), method, path, route, status, ms: Math.round(seconds * 1000) };
      log.info({ ...fields, ...notes.get(response) }, 'request');
    });
    next();
  };
}

function routeOf(route: unknown): string {
  if (typeof route === 'object' && route !== null && 'path' in route && typeof route.path === 'string')
    return route.path;
  return 'other';
}
