/** The one place where errors become HTTP. */
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { Failure } from '../../domain/failure.ts';
import type { Log } from '../../lib/log.ts';
import { requestIdOf } from './requestId.ts';

/** Express tells an error handler by its four parameters. */
export function failureHandler(log: Log) {
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    const failure = failureOf(error, requestIdOf(response));
    if (failure.status >= 500) {
      log.error({ err: error, request_id: requestIdOf(response), code: failure.code }, 'request failed');
    }
    if (response.headersSent) {
      request.socket.destroy();
      return;
    }
    sendFailure(response, failure);
  };
}

function sendFailure(response: Response, { status, errors, headers }: Failure): void {
  // What a handler has said about the answer it meant to give.
  for (const name of ['ETag', 'Content-Length', 'Content-Type']) response.removeHeader(name);
  response
    .status(status)
    .set({ ...headers, 'Cache-Control': 'no-store' })
    .json({ status: 'failure', errors });
}

/** For whatever no route has answered. */
export const unknownPath: RequestHandler = (request) => {
  throw new Failure({
    status: 404,
    code: 'unknown_path',
    errors: { path: [`There is nothing at ${request.method} ${request.path}. /docs tells what there is.`] },
  });
};

function failureOf(error: unknown, requestId: string): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof URIError) {
    return new Failure({
      status: 400,
      code: 'bad_path',
      errors: { path: ['must be valid percent-encoding of UTF-8.'] },
    });
  }
  if (isDatabaseAway(error)) {
    return new Failure({
      status: 503,
      code: 'unavailable',
      errors: { service: ['The service cannot reach its database at the moment: try again in a few seconds.'] },
      headers: { 'Retry-After': '2' },
    });
  }
  return new Failure({
    status: 500,
    code: 'internal',
    errors: { service: [`Something is broken on our side; it has been logged as request ${requestId}.`] },
  });
}

/** No connection, none free in time, shutting down, out of resources, lost to a deadlock, or over the time of a statement. */
function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(08|53|57P|40)/.test(code) || code === '57014') return true;
  if (/^(ECONNREFUSED|ECONNRESET|ENOTFOUND|ETIMEDOUT|EPIPE|EAI_AGAIN)$/.test(code)) return true;
  return /Connection terminated|timeout exceeded when trying to connect/i.test(error.message);
}
