import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { Failure, type FieldErrors } from '../../domain/failure.ts';
import type { Log } from '../../lib/log.ts';
import { noteQuota } from './accessLog.ts';
import { requestIdOf } from './caller.ts';
import { type HttpError, httpErrorOf, INTERNAL_ERROR } from './errors.ts';
import { failureBody } from './failureBody.ts';

/** Answers errors in the format of the public API. Express recognizes an error handler by its four parameters. */
export function errorHandler(log: Log) {
  return (error: unknown, request: Request, response: Response, _next: NextFunction): void => {
    const httpError = httpErrorOf(error);
    const requestId = requestIdOf(response);
    noteQuota(response, httpError.code);
    if (httpError.status >= 500)
      log.error({ err: error, request_id: requestId, code: httpError.code }, 'request failed');
    if (response.headersSent) {
      request.socket.destroy();
      return;
    }
    // A handler may have set these for the answer that it failed to send.
    for (const name of ['ETag', 'Content-Length', 'Content-Type']) response.removeHeader(name);
    response
      .status(httpError.status)
      .set({ ...httpError.headers, 'Cache-Control': 'no-store' })
      .json(failureBody(httpError.code, requestId, publicErrors(httpError, requestId)));
  };
}

function publicErrors({ code, errors }: HttpError, requestId: string): FieldErrors {
  if (code !== INTERNAL_ERROR) return errors;
  return { service: [`The service failed to answer. The log has the cause under request ${requestId}.`] };
}

/** Paths of the API have one spelling. */
function hintOf(path: string): string {
  if (!/^\/api\//i.test(path)) return '';
  if (path.endsWith('/')) return 'Paths have no slash at their end. ';
  return /[A-Z]/.test(path) ? 'Paths are in lower case. ' : '';
}

/** Answers requests that match no route. */
export const unknownPath: RequestHandler = (request) => {
  throw new Failure({
    status: 404,
    code: 'unknown_path',
    errors: {
      path: [`${request.method} ${request.path} does not exist. ${hintOf(request.path)}See /docs for all paths.`],
    },
  });
};
