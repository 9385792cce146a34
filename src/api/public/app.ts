import express, { type Express, type RequestParamHandler } from 'express';
import { unknownId } from '../../domain/failure.ts';
import { createGuard } from '../../egress/guard.ts';
import { accessLog } from '../server/accessLog.ts';
import { errorHandler, unknownPath } from '../server/errorHandler.ts';
import { requireOneHost } from '../server/parserFaults.ts';
import { requestId } from '../server/requestId.ts';
import { requireEncoding } from '../server/requireEncoding.ts';
import { route } from '../server/route.ts';
import { closeAfterUnreadBody } from '../server/unreadBody.ts';
import { crossOrigin } from './crossOrigin.ts';
import { endpoints } from './endpoint.ts';
import { serveExport } from './exportFiles.ts';
import { serveImage, serveThumbnail } from './images.ts';
import { buildOpenApi } from './openApi.ts';
import type { PublicApiOptions, RouteOptions } from './options.ts';
import { publicRoutes } from './routes/routes.ts';

/** @returns the public API with its reference, the pictures and, if given, the results pages. It does not listen yet. */
export function createPublicApi(options: PublicApiOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  // A path has one spelling, so that rules of proxies before the service match all requests to it.
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', options.trustedProxies ?? false);
  app.use(closeAfterUnreadBody);
  app.use(requestId, accessLog(options.log, options.observe ?? (() => undefined)));
  app.use((_request, response, next) => {
    response.set({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' });
    next();
  });
  app.use(requireOneHost);
  app.use('/api', requireEncoding);
  app.use('/api', crossOrigin(options.corsOrigins ?? []));
  // PostgreSQL cannot store a NUL, so nothing has such an id or name.
  for (const name of ['id', 'name', 'key_id', 'share_id']) app.param(name, rejectNul);
  addRoutes(app, { ...options, guard: options.guard ?? createGuard({ allow: [] }) });
  route(app, '/i/:file', { get: serveImage(options) });
  route(app, '/i/:token/:file', { get: serveThumbnail(options) });
  route(app, '/e/:token/:name', { get: serveExport(options) });
  const document = JSON.stringify(buildOpenApi(options.limits), undefined, 2);
  route(app, '/openapi.json', { get: (_request, response) => void response.type('json').send(document) });
  if (options.pages !== undefined) app.use(options.pages);
  app.use(unknownPath);
  if (options.errorPages !== undefined) app.use(options.errorPages);
  app.use(errorHandler(options.log));
  return app;
}

const rejectNul: RequestParamHandler = (_request, _response, next, value: string) =>
  next(value.includes('\0') ? unknownId() : undefined);

/** A path of the OpenAPI document, such as `/ads/{id}`, is `/ads/:id` in express. */
function addRoutes(app: Express, options: RouteOptions): void {
  const endpoint = endpoints(options);
  const byPath = [...Map.groupBy(publicRoutes(options.limits), (each) => each.path)];
  // Paths without parameters come first, because `/events/{id}` would match `/events/replay`.
  for (const [path, routes] of byPath.toSorted(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))) {
    const handlers = Object.fromEntries(routes.map((each) => [each.method, endpoint(each)]));
    route(app, `/api/v1/orgs/:slug${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, handlers);
  }
}
