/** The span of each request, which continues the trace of a valid `traceparent`. */
import type { RequestHandler } from 'express';
import { traceFields, withSpan } from '../../observe/tracing.ts';
import { addLogFields, NO_ROUTE, routeOf } from './accessLog.ts';

/** Paths and queries hold tokens of pictures, share links and sign-ins, so spans have only the route. */
export const traceRequests: RequestHandler = (request, response, next) => {
  const { method, protocol } = request;
  const attributes = {
    'http.request.method': method,
    'url.scheme': protocol,
    'network.protocol.version': request.httpVersion,
  };
  const options = { kind: 'server', parent: request.get('traceparent'), attributes } as const;
  void withSpan(method, options, (span) => {
    addLogFields(response, traceFields());
    const ended = new Promise<void>((resolve) => {
      response.once('close', () => {
        const route = routeOf(request.route);
        const status = response.statusCode;
        if (route !== NO_ROUTE) {
          span.rename(`${method} ${route}`);
          span.set({ 'http.route': route });
        }
        span.set({ 'http.response.status_code': status });
        if (status >= 500) span.fail(String(status));
        else if (!response.writableFinished) span.fail('aborted');
        resolve();
      });
    });
    next();
    return ended;
  });
};
