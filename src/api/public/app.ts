import express, {
  type ErrorRequestHandler,
  type Express,
  type RequestHandler,
  type RequestParamHandler,
  type Router,
} from 'express';
import { Failure, unknownId } from '../../domain/failure.ts';
import { isTracing } from '../../observe/tracing.ts';
import { accessLog } from '../server/accessLog.ts';
import { requestId } from '../server/caller.ts';
import { errorHandler, unknownPath } from '../server/errorHandler.ts';
import { requireEncoding, requireOneHost } from '../server/parserFaults.ts';
import { route } from '../server/route.ts';
import { traceRequests } from '../server/traceRequests.ts';
import { closeAfterUnreadBody } from '../server/unreadBody.ts';
import { endpoint } from './endpoint.ts';
import { buildOpenApi } from './openApi.ts';
import { serveExport, serveImage, serveThumbnail } from './publicFiles.ts';
import { publicRoutes } from './routes/routes.ts';
import type { Services } from './services.ts';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const REQUEST_HEADERS = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, Prefer, X-Request-Id';
const ANSWER_HEADERS =
  'ETag, Idempotency-Replayed, Preference-Applied, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id';
const PREFLIGHT_SECONDS = '600';

/** The results pages, which `html_url` opens. */
export interface Pages {
  readonly router: Router;
  /** Shows errors to people as pages. */
  readonly errorPages: ErrorRequestHandler;
}

/** @returns the public API with its reference, the pictures and, if given, the results pages. It does not listen yet. */
export function createPublicApi(services: Services, pages?: Pages): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  // A path has one spelling, so that rules of proxies before the service match all requests to it.
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', services.trustedProxies ?? false);
  app.use(closeAfterUnreadBody);
  if (isTracing()) app.use(traceRequests);
  app.use(requestId, accessLog(services.log, services.observeRequest ?? (() => undefined)));
  const isHttps = services.publicUrl.startsWith('https:');
  app.use((_request, response, next) => {
    response.set({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' });
    if (isHttps) response.set('Strict-Transport-Security', 'max-age=31536000');
    next();
  });
  app.use(requireOneHost);
  app.use('/api', requireEncoding);
  app.use('/api', crossOrigin(services.corsOrigins ?? []));
  // PostgreSQL cannot store a NUL, so nothing has such an id or name.
  for (const name of ['id', 'name', 'key_id', 'share_id', 'user_id']) app.param(name, rejectNul);
  addRoutes(app, services);
  route(app, '/i/:file', { get: serveImage(services) });
  route(app, '/i/:token/:file', { get: serveThumbnail(services) });
  route(app, '/e/:token/:name', { get: serveExport(services) });
  const document = JSON.stringify(buildOpenApi(services.limits), undefined, 2);
  route(app, '/openapi.json', { get: (_request, response) => void response.type('json').send(document) });
  if (pages !== undefined) app.use(pages.router);
  app.use(unknownPath);
  if (pages !== undefined) app.use(pages.errorPages);
  app.use(errorHandler(services.log));
  return app;
}

const rejectNul: RequestParamHandler = (_request, _response, next, value: string) =>
  next(value.includes('\0') ? unknownId() : undefined);

/** A path of the OpenAPI document, such as `/ads/{id}`, is `/ads/:id` in express. */
function addRoutes(app: Express, services: Services): void {
  const byPath = [...Map.groupBy(publicRoutes(services.limits), (each) => each.path)];
  // Paths without parameters come first, because `/events/{id}` would match `/events/replay`.
  for (const [path, routes] of byPath.toSorted(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))) {
    const handlers = Object.fromEntries(routes.map((each) => [each.method, endpoint(services, each)]));
    route(app, `/api/v1/orgs/:slug${path.replaceAll(/\{(\w+)\}/g, ':$1')}`, handlers);
  }
}

/**
 * Cross-origin requests (CORS). Servers call the API with a key, which no page should hold: so no origin is allowed unless
 * the operator names it. Cookies and other credentials of a browser are never allowed.
 * @param allowed origins such as `https://app.example`. @throws Failure (403) for a preflight request of another one.
 */
function crossOrigin(allowed: readonly string[]): RequestHandler {
  return (request, response, next) => {
    response.vary('Origin');
    const origin = request.get('origin');
    if (origin === undefined) return next();
    const isPreflight = request.method === 'OPTIONS' && request.get('access-control-request-method') !== undefined;
    const isAllowed = allowed.includes(origin);
    if (!isAllowed && isPreflight) throw notAllowed();
    if (isAllowed)
      response.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': ANSWER_HEADERS });
    if (!isPreflight) return next();
    response.status(204).set({
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': PREFLIGHT_SECONDS,
    });
    response.end();
  };
}

function notAllowed(): Failure {
  const text =
    'Pages of this origin may not call the API: call it from a server, so that no browser has the key. The operator can allow the origin with CORS_ORIGINS.';
  return new Failure({ status: 403, code: 'forbidden', errors: { origin: [text] } });
}
