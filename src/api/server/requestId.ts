import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';

const ids = new WeakMap<Response, string>();

/** Uses the client's `X-Request-Id` if it is well-formed, otherwise a new id, and returns it in the response. */
export const requestId: RequestHandler = (request, response, next) => {
  const sent = request.get('x-request-id') ?? '';
  const id = /^[A-Za-z0-9._:-]{1,128}$/.test(sent) ? sent : randomUUID();
  ids.set(response, id);
  response.set('X-Request-Id', id);
  next();
};

export function requestIdOf(response: Response): string {
  return ids.get(response) ?? '';
}
