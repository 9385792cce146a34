import express, { type Express, type RequestParamHandler } from 'express';
import { buildOpenApi } from '../../contract/openApi.ts';
import { unknownId } from '../../domain/failure.ts';
import { accessLog } from '../server/accessLog.ts';
import { errorHandler, unknownPath } from '../server/errorHandler.ts';
import { requireOneHost } from '../server/parserFaults.ts';
import { requestId } from '../server/requestId.ts';
import { requireEncoding } from '../server/requireEncoding.ts';
import { route } from '../server/route.ts';
import { closeAfterUnreadBody } from '../server/unreadBody.ts';
import { createBodies } from './bodies/bodies.ts';
import { branding, deleteLogo, putBranding, putLogo } from './branding.ts';
import { patchAd, patchCampaign, patchSet } from './changing.ts';
import { createAd } from './createAd.ts';
import { createScreenshotRequest } from './createScreenshotRequest.ts';
import { crossOrigin } from './crossOrigin.ts';
import { type Endpoint, endpoints } from './endpoint.ts';
import { eventList, oneEvent, replayMany } from './events.ts';
import { serveExport } from './exportFiles.ts';
import { createExport, exportFile, exportList, oneExport } from './exports.ts';
import { serveImage, serveThumbnail } from './images.ts';
import { serveOpenApi } from './openApiRoute.ts';
import type { BodyOptions, PublicApiOptions } from './options.ts';
import {
  adList,
  campaignList,
  deliveryList,
  oneAd,
  oneCampaign,
  oneDelivery,
  oneScreenshot,
  oneSet,
  screenshotList,
  screenshotsOfSet,
  setList,
  uploadList,
} from './reading.ts';
import { deleteAd, deleteCampaign, deleteSet } from './removal.ts';
import { retakeScreenshot, retakeSet } from './retakes.ts';
import { replay, review, reviewOfScreenshot } from './reviewing.ts';
import { addSettingRoutes } from './settings/settingRoutes.ts';
import { createShare, listShares, revokeShare } from './sharing.ts';
import { createTemplate, removeTemplate, templateList } from './templates.ts';
import { createUpload, oneUpload, removeUpload } from './uploads.ts';
import { usage } from './usage.ts';

const ORGANIZATION = '/api/v1/orgs/:slug';

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
  for (const name of ['id', 'name']) app.param(name, rejectNul);
  const endpoint = endpoints(options);
  const routeOptions = { ...options, bodies: createBodies(options.limits) };
  addWriteRoutes(app, routeOptions, endpoint);
  addReadRoutes(app, routeOptions, endpoint);
  addExportRoutes(app, routeOptions, endpoint);
  addShareRoutes(app, routeOptions, endpoint);
  addSettingRoutes(app, routeOptions, endpoint);
  route(app, '/i/:file', { get: serveImage(options) });
  route(app, '/i/:token/:file', { get: serveThumbnail(options) });
  route(app, '/e/:token/:name', { get: serveExport(options) });
  serveOpenApi(app, buildOpenApi(options.limits));
  if (options.pages !== undefined) app.use(options.pages);
  app.use(unknownPath);
  if (options.errorPages !== undefined) app.use(options.errorPages);
  app.use(errorHandler(options.log));
  return app;
}

const rejectNul: RequestParamHandler = (_request, _response, next, value: string) =>
  next(value.includes('\0') ? unknownId() : undefined);

function addWriteRoutes(app: Express, options: BodyOptions, endpoint: Endpoint): void {
  const { db } = options.store;
  route(app, `${ORGANIZATION}/ads`, {
    get: endpoint('read', adList(db)),
    post: endpoint('write', createAd(options), { remember: true }),
  });
  route(app, `${ORGANIZATION}/screenshot_requests`, { post: endpoint('write', createScreenshotRequest(options)) });
  route(app, `${ORGANIZATION}/uploads`, {
    get: endpoint('read', uploadList(db)),
    post: endpoint('write', createUpload(options)),
  });
  route(app, `${ORGANIZATION}/uploads/:id`, {
    get: endpoint('read', oneUpload(options)),
    delete: endpoint('write', removeUpload(options)),
  });
  route(app, `${ORGANIZATION}/templates`, {
    get: endpoint('read', templateList(options)),
    post: endpoint('write', createTemplate(options)),
  });
  route(app, `${ORGANIZATION}/templates/:id`, { delete: endpoint('write', removeTemplate(options)) });
  for (const verb of ['approve', 'reject', 'cancel'] as const) {
    route(app, `${ORGANIZATION}/screenshot_sets/:id/${verb}`, { post: endpoint('write', review(options, verb)) });
  }
  route(app, `${ORGANIZATION}/screenshots/:id/review`, { post: endpoint('write', reviewOfScreenshot(options)) });
  route(app, `${ORGANIZATION}/events/replay`, { post: endpoint('write', replayMany(options)) });
  route(app, `${ORGANIZATION}/deliveries/:id/replay`, { post: endpoint('write', replay(options)) });
  for (const kind of ['retake', 'duplicate'] as const) {
    route(app, `${ORGANIZATION}/screenshot_sets/:id/${kind}`, { post: endpoint('write', retakeSet(options, kind)) });
  }
  route(app, `${ORGANIZATION}/screenshots/:id/retake`, { post: endpoint('write', retakeScreenshot(options)) });
}

function addShareRoutes(app: Express, options: BodyOptions, endpoint: Endpoint): void {
  const shares = `${ORGANIZATION}/screenshot_sets/:id/shares`;
  route(app, shares, {
    get: endpoint('read', listShares(options), { secret: true }),
    post: endpoint('write', createShare(options)),
  });
  route(app, `${shares}/:share`, { delete: endpoint('write', revokeShare(options)) });
}

function addReadRoutes(app: Express, options: BodyOptions, endpoint: Endpoint): void {
  const { db } = options.store;
  route(app, `${ORGANIZATION}/ads/:id`, {
    get: endpoint('read', oneAd(db)),
    patch: endpoint('write', patchAd(options)),
    delete: endpoint('write', deleteAd(options)),
  });
  route(app, `${ORGANIZATION}/campaigns`, { get: endpoint('read', campaignList(db)) });
  route(app, `${ORGANIZATION}/campaigns/:id`, {
    get: endpoint('read', oneCampaign(db)),
    patch: endpoint('write', patchCampaign(options)),
    delete: endpoint('write', deleteCampaign(options)),
  });
  route(app, `${ORGANIZATION}/screenshot_sets`, { get: endpoint('read', setList(db)) });
  route(app, `${ORGANIZATION}/screenshot_sets/:id`, {
    get: endpoint('read', oneSet(db)),
    patch: endpoint('write', patchSet(options)),
    delete: endpoint('write', deleteSet(options)),
  });
  route(app, `${ORGANIZATION}/screenshot_sets/:id/screenshots`, { get: endpoint('read', screenshotsOfSet(db)) });
  route(app, `${ORGANIZATION}/usage`, { get: endpoint('read', usage(options)) });
  route(app, `${ORGANIZATION}/screenshots`, { get: endpoint('read', screenshotList(db)) });
  route(app, `${ORGANIZATION}/screenshots/:id`, { get: endpoint('read', oneScreenshot(db)) });
  route(app, `${ORGANIZATION}/deliveries`, { get: endpoint('read', deliveryList(db)) });
  route(app, `${ORGANIZATION}/events`, { get: endpoint('read', eventList(options)) });
  route(app, `${ORGANIZATION}/events/:id`, { get: endpoint('read', oneEvent(options)) });
  route(app, `${ORGANIZATION}/deliveries/:id`, { get: endpoint('read', oneDelivery(db)) });
}

/** Exports need the scope "read", because they only show what their reader can read. */
function addExportRoutes(app: Express, options: BodyOptions, endpoint: Endpoint): void {
  const { db } = options.store;
  route(app, `${ORGANIZATION}/screenshot_sets/:id/export`, { get: endpoint('read', exportFile(options)) });
  route(app, `${ORGANIZATION}/screenshot_sets/:id/exports`, {
    get: endpoint('read', exportList(db)),
    post: endpoint('read', createExport(options)),
  });
  route(app, `${ORGANIZATION}/exports/:id`, { get: endpoint('read', oneExport(db)) });
  route(app, `${ORGANIZATION}/branding`, {
    get: endpoint('read', branding(options)),
    put: endpoint('admin', putBranding(options)),
  });
  route(app, `${ORGANIZATION}/branding/logo`, {
    put: endpoint('admin', putLogo(options)),
    delete: endpoint('admin', deleteLogo(options)),
  });
}
