import express, { type Express } from 'express';
import { buildOpenApi } from '../../contract/openApi.ts';
import { accessLog } from '../server/accessLog.ts';
import { errorHandler, unknownPath } from '../server/errorHandler.ts';
import { requestId } from '../server/requestId.ts';
import { route } from '../server/route.ts';
import { createAd } from './createAd.ts';
import { createScreenshotRequest } from './createScreenshotRequest.ts';
import { serveDocs } from './docs.ts';
import { type Endpoint, endpoints } from './endpoint.ts';
import { serveImage } from './images.ts';
import type { PublicApiOptions } from './options.ts';
import { adList, campaignList, deliveryList, oneAd, oneSet, screenshotList, setList } from './reading.ts';
import { replay, review } from './reviewing.ts';

const ORGANIZATION = '/api/v1/orgs/:slug';

/** @returns the public API with its reference, the pictures and, if given, the results pages. It does not listen yet. */
export function createPublicApi(options: PublicApiOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.use(requestId, accessLog(options.log, options.observe ?? (() => undefined)));
  app.use((_request, response, next) => {
    response.set({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' });
    next();
  });
  const endpoint = endpoints(options);
  addWriteRoutes(app, options, endpoint);
  addReadRoutes(app, options, endpoint);
  route(app, '/i/:file', { get: serveImage(options.store.db, options.artifacts) });
  serveDocs(app, buildOpenApi(options.limits));
  if (options.pages !== undefined) app.use(options.pages);
  app.use(unknownPath);
  app.use(errorHandler(options.log));
  return app;
}

function addWriteRoutes(app: Express, options: PublicApiOptions, endpoint: Endpoint): void {
  const { db } = options.store;
  route(app, `${ORGANIZATION}/ads`, {
    get: endpoint('read', adList(db)),
    post: endpoint('write', createAd(options), { remember: true }),
  });
  route(app, `${ORGANIZATION}/screenshot_requests`, { post: endpoint('write', createScreenshotRequest(options)) });
  for (const verb of ['approve', 'reject', 'cancel'] as const) {
    route(app, `${ORGANIZATION}/screenshot_sets/:id/${verb}`, { post: endpoint('write', review(options, verb)) });
  }
  route(app, `${ORGANIZATION}/deliveries/:id/replay`, { post: endpoint('write', replay(options)) });
}

function addReadRoutes(app: Express, options: PublicApiOptions, endpoint: Endpoint): void {
  const { db } = options.store;
  route(app, `${ORGANIZATION}/ads/:id`, { get: endpoint('read', oneAd(db)) });
  route(app, `${ORGANIZATION}/campaigns`, { get: endpoint('read', campaignList(db)) });
  route(app, `${ORGANIZATION}/screenshot_sets`, { get: endpoint('read', setList(db)) });
  route(app, `${ORGANIZATION}/screenshot_sets/:id`, { get: endpoint('read', oneSet(db)) });
  route(app, `${ORGANIZATION}/screenshots`, { get: endpoint('read', screenshotList(db)) });
  route(app, `${ORGANIZATION}/deliveries`, { get: endpoint('read', deliveryList(db)) });
}
