/** The results pages, which `html_url` opens. */
import express, { type Router } from 'express';
import { Failure } from '../domain/failure.ts';
import { isSlug, isUuid } from '../domain/slugs.ts';
import { addAdRoutes } from './adRoutes.ts';
import { serveAsset } from './assets.ts';
import type { PagesOptions } from './context.ts';
import { addDeliveryRoutes } from './deliveries/deliveryRoutes.ts';
import { addDownloadRoutes } from './downloads/downloadRoutes.ts';
import { readHome } from './homeCookie.ts';
import { addListRoutes } from './listRoutes.ts';
import { LiveConnections } from './live.ts';
import { welcomePage } from './messagePages.ts';
import { addNewRequestRoutes } from './newRequestRoutes.ts';
import { addObjectRoutes } from './objects/objectRoutes.ts';
import { createPageHandlers } from './pageHandlers.ts';
import { pathsOf } from './paths.ts';
import { addReferenceRoutes } from './referenceRoutes.ts';
import type { RouteTools } from './routing.ts';
import { addSessionRoutes } from './sessionRoutes.ts';
import { addPictureRoutes } from './set/pictureRoutes.ts';
import { addRetakeRoutes } from './set/retakeRoutes.ts';
import { addSetRoutes } from './set/setRoutes.ts';
import { addBrandingRoutes } from './settings/brandingRoutes.ts';
import { addSettingsRoutes } from './settings/settingsRoutes.ts';
import { addSharedRoutes } from './sharedRoutes.ts';

export type { PagesOptions } from './context.ts';

/** Each adds the routes of one subject. */
const ROUTES: readonly ((router: Router, options: PagesOptions, tools: RouteTools) => void)[] = [
  addListRoutes,
  addNewRequestRoutes,
  addSessionRoutes,
  addSetRoutes,
  addRetakeRoutes,
  addPictureRoutes,
  addDownloadRoutes,
  addAdRoutes,
  addObjectRoutes,
  addDeliveryRoutes,
  addSettingsRoutes,
  addBrandingRoutes,
  addSharedRoutes,
  addReferenceRoutes,
];

/** Serves /, /o/:slug…, /s/… and /assets/…. Mount it at the root of the public API. */
export function createPages(options: PagesOptions): Router {
  const router = express.Router();
  const handlers = createPageHandlers(options);
  const live = new LiveConnections(options);
  router.param('slug', (_request, _response, next, slug: string) => next(isSlug(slug) ? undefined : unknownPage()));
  router.param('id', (_request, _response, next, id: string) => next(isUuid(id) ? undefined : unknownPage()));
  router.get('/', (request, response) => {
    const { base } = pathsOf(options.publicUrl, '');
    const given = request.query['organization'];
    const wanted = typeof given === 'string' ? given.trim().toLowerCase() : readHome(request);
    if (wanted !== undefined && isSlug(wanted)) response.redirect(302, `${base}/o/${wanted}`);
    else handlers.send(response, welcomePage(base, wanted), { paths: pathsOf(options.publicUrl, '') });
  });
  router.get('/assets/:name', serveAsset);
  for (const addRoutes of ROUTES) addRoutes(router, options, { handlers, live });
  return router;
}

function unknownPage(): Failure {
  return new Failure({ status: 404, code: 'unknown_path', errors: { path: ['There is no page at this address.'] } });
}
