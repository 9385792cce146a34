/** The results pages, which `html_url` opens. */
import express, { type Router } from 'express';
import { Failure } from '../domain/failure.ts';
import { isSlug, isUuid } from '../domain/slugs.ts';
import { html } from '../lib/html.ts';
import { addAdRoutes } from './adPage.ts';
import { serveAsset } from './assets.ts';
import type { PagesOptions, ResultsPage } from './context.ts';
import { addDeliveryRoutes } from './deliveries/deliveryPage.ts';
import { addDownloadRoutes } from './downloads.ts';
import { addListRoutes } from './lists/listRoutes.ts';
import { addNewRequestRoutes } from './newRequest/newRequestRoutes.ts';
import { addObjectRoutes } from './objects/objectPages.ts';
import { PageRoutes } from './pageRoutes.ts';
import { pathsOf } from './paths.ts';
import { addReferenceRoutes } from './reference/referencePage.ts';
import { addSessionRoutes } from './sessionRoutes.ts';
import { addPictureRoutes } from './set/picturePage.ts';
import { addRetakeRoutes } from './set/retakes.ts';
import { addSetRoutes } from './set/setPage.ts';
import { addAuditLogRoutes } from './settings/auditLog.ts';
import { addBrandingRoutes } from './settings/branding.ts';
import { addConnectorRoutes } from './settings/connectors.ts';
import { addEndpointRoutes } from './settings/endpoints.ts';
import { addGeneralRoutes } from './settings/general.ts';
import { addKeyRoutes } from './settings/keys.ts';
import { addWebhookRoutes } from './settings/webhooks.ts';
import { addSharedRoutes } from './sharedPage.ts';
import { addShareRoutes } from './sharePanel.ts';
import { readHome } from './viewer.ts';

export type { PagesOptions } from './context.ts';

/** Each adds the routes of one subject. */
const ROUTES: readonly ((pages: PageRoutes) => void)[] = [
  addListRoutes,
  addNewRequestRoutes,
  addSessionRoutes,
  addSetRoutes,
  addShareRoutes,
  addRetakeRoutes,
  addPictureRoutes,
  addDownloadRoutes,
  addAdRoutes,
  addObjectRoutes,
  addDeliveryRoutes,
  addGeneralRoutes,
  addKeyRoutes,
  addWebhookRoutes,
  addEndpointRoutes,
  addConnectorRoutes,
  addBrandingRoutes,
  addAuditLogRoutes,
  addSharedRoutes,
  addReferenceRoutes,
];

/** Serves /, /o/:slug…, /s/… and /assets/…. Mount it at the root of the public API. */
export function createPages(options: PagesOptions): Router {
  const router = express.Router();
  const pages = new PageRoutes(options, router);
  router.param('slug', (_request, _response, next, slug: string) => next(isSlug(slug) ? undefined : unknownPage()));
  router.param('id', (_request, _response, next, id: string) => next(isUuid(id) ? undefined : unknownPage()));
  router.get('/', (request, response) => {
    const paths = pathsOf(options.publicUrl, '');
    const given = request.query['organization'];
    const wanted = typeof given === 'string' ? given.trim().toLowerCase() : readHome(request);
    if (wanted !== undefined && isSlug(wanted)) response.redirect(302, `${paths.base}/o/${wanted}`);
    else pages.send(response, welcomePage(paths.base, wanted), { paths });
  });
  router.get('/assets/:name', serveAsset);
  for (const addRoutes of ROUTES) addRoutes(pages);
  return router;
}

function unknownPage(): Failure {
  return new Failure({ status: 404, code: 'unknown_path', errors: { path: ['There is no page at this address.'] } });
}

/** The page at the root, for people who are not signed in. @param wanted what the person typed, if it is no name of an organization. */
function welcomePage(base: string, wanted?: string): ResultsPage {
  const body = html`<section class="signin"><h1>Tearsheet</h1>
<p>Placement previews: pictures of ads in slots of live pages.</p>
<form method="get" action="${base}/"><label for="organization">Your organization</label>
<input id="organization" name="organization" required maxlength="63" autocapitalize="none" autocomplete="organization" spellcheck="false" value="${wanted ?? ''}"${wanted !== undefined && html` aria-invalid="true" aria-describedby="fault"`}>
${wanted !== undefined && html`<p id="fault" class="fault" role="alert">The name of an organization has only lower-case letters, digits and hyphens, for example <code>acme</code>.</p>`}
<button class="primary">Continue</button></form>
<p><a href="${base}/docs">API reference</a> (<a href="${base}/openapi.json">openapi.json</a>)</p>
</section>`;
  return { title: 'Welcome', body };
}
