/** The results pages, which `html_url` opens. */
import express, { type Router } from 'express';
import { Failure } from '../domain/failure.ts';
import { isSlug, isUuid } from '../domain/slugs.ts';
import { lowerCase } from '../domain/text.ts';
import { html } from '../lib/html.ts';
import { serveAsset } from './assets.ts';
import { addDeliveryRoutes } from './deliveries/deliveryPage.ts';
import { addHelpRoutes } from './help.ts';
import { addAdRoutes } from './lists/adPage.ts';
import { addListRoutes } from './lists/listRoutes.ts';
import { addGivenPageRoutes } from './newRequest/givenPage.ts';
import { addNewRequestRoutes } from './newRequest/newRequestRoutes.ts';
import { addObjectRoutes } from './objects/objectPages.ts';
import { button } from './parts/components.ts';
import type { PagesOptions, ResultsPage } from './parts/context.ts';
import { textField } from './parts/formFields.ts';
import { type PagePaths, pathsOf } from './parts/paths.ts';
import { addAccountRoutes } from './people/accountPage.ts';
import { addInvitationRoutes } from './people/invitationRoutes.ts';
import { addLinkRoutes } from './people/linkRoutes.ts';
import { addNoticeRoutes } from './people/noticesPage.ts';
import { homeOf } from './people/personSession.ts';
import { addProviderRoutes } from './people/providerRoutes.ts';
import { addSessionRoutes } from './people/sessionRoutes.ts';
import { addDownloadRoutes } from './pictures/downloads.ts';
import { addThreadRoutes } from './pictures/threads.ts';
import { addReferenceRoutes } from './reference/referencePage.ts';
import { PageRoutes } from './routes/pageRoutes.ts';
import { addScheduleRoutes } from './schedules/scheduleRoutes.ts';
import { addPictureRoutes } from './set/picturePage.ts';
import { addRetakeRoutes } from './set/retakes.ts';
import { addSelectionRoutes } from './set/selection.ts';
import { addSetRoutes } from './set/setPage.ts';
import { addSetReviewRoutes } from './set/setReviews.ts';
import { addAuditLogRoutes } from './settings/auditLog.ts';
import { addBrandingRoutes } from './settings/branding.ts';
import { addChatRoutes } from './settings/chats.ts';
import { addConnectorRoutes } from './settings/connectors.ts';
import { addEndpointRoutes } from './settings/endpoints.ts';
import { addGeneralRoutes } from './settings/general.ts';
import { addKeyRoutes } from './settings/keys.ts';
import { addMemberRoutes } from './settings/members.ts';
import { addSiteRuleRoutes } from './settings/siteRules.ts';
import { addWebhookRoutes } from './settings/webhooks.ts';
import { addFollowRoutes } from './sharing/followRoutes.ts';
import { addSharedPictureRoutes } from './sharing/sharedPicture.ts';
import { addSharedRoutes } from './sharing/sharedRoutes.ts';
import { addShareRoutes } from './sharing/sharePanel.ts';
import { findSignedIn, readHome } from './signIn/viewer.ts';
import { hasWays, signInWays, type Ways, waysOf } from './signIn/ways.ts';

export type { PagesOptions } from './parts/context.ts';

/** Each adds the routes of one subject. */
const ROUTES: readonly ((pages: PageRoutes) => void)[] = [
  addListRoutes,
  addNewRequestRoutes,
  addGivenPageRoutes,
  addSessionRoutes,
  // Before those of links, whose path holds a token.
  addProviderRoutes,
  addLinkRoutes,
  addInvitationRoutes,
  addAccountRoutes,
  addScheduleRoutes,
  addSetRoutes,
  addSetReviewRoutes,
  addSelectionRoutes,
  addShareRoutes,
  addRetakeRoutes,
  addPictureRoutes,
  addThreadRoutes,
  addDownloadRoutes,
  addAdRoutes,
  addObjectRoutes,
  addDeliveryRoutes,
  addGeneralRoutes,
  addKeyRoutes,
  addMemberRoutes,
  addWebhookRoutes,
  addEndpointRoutes,
  addConnectorRoutes,
  addBrandingRoutes,
  addChatRoutes,
  addNoticeRoutes,
  addAuditLogRoutes,
  addSiteRuleRoutes,
  addSharedPictureRoutes,
  addFollowRoutes,
  addSharedRoutes,
  addReferenceRoutes,
  addHelpRoutes,
];

/** Serves /, /o/:slug…, /s/… and /assets/…. Mount it at the root of the public API. */
export function createPages(options: PagesOptions): Router {
  const router = express.Router();
  const pages = new PageRoutes(options, router);
  router.param('slug', (_request, _response, next, slug: string) => next(isSlug(slug) ? undefined : unknownPage()));
  router.param('id', (_request, _response, next, id: string) => next(isUuid(id) ? undefined : unknownPage()));
  router.get('/', async (request, response) => {
    const paths = pathsOf(options.publicUrl, '');
    const given = request.query['organization'];
    const wanted = typeof given === 'string' ? (lowerCase(given.trim()) ?? given) : readHome(request);
    const person = wanted === undefined ? await findSignedIn(options.store.db, request) : undefined;
    if (wanted !== undefined && isSlug(wanted)) response.redirect(302, `${paths.base}/o/${wanted}`);
    else if (person !== undefined) response.redirect(302, homeOf(paths, person));
    else pages.send(response, welcomePage(paths, waysOf(options), wanted), { paths });
  });
  router.get('/assets/:name', serveAsset);
  for (const addRoutes of ROUTES) addRoutes(pages);
  return router;
}

function unknownPage(): Failure {
  return new Failure({ status: 404, code: 'unknown_path', errors: { path: ['There is no page at this address.'] } });
}

/**
 * The page at the root, for people who are not signed in.
 * @param wanted what the person typed, if it is not the name of an organization.
 */
function welcomePage(paths: PagePaths, ways: Ways, wanted?: string): ResultsPage {
  const { base } = paths;
  const fault = 'The name of an organization contains only lower-case letters, digits and hyphens, for example "acme".';
  const organization = {
    name: 'organization',
    label: 'Your organization',
    isRequired: true,
    max: 63,
    autocomplete: 'organization',
    value: wanted ?? '',
    more: html` autocapitalize="none"`,
  };
  const form = html`<form method="get" action="${base}/">
${textField(organization, { values: {}, errors: wanted === undefined ? {} : { organization: [fault] } })}
${button({ label: 'Continue', ...(!hasWays(ways) && { kind: 'primary' as const }) })}</form>`;
  const others = html`<details${wanted !== undefined && html` open`}><summary>Other ways</summary>${form}</details>`;
  const body = html`<section class="signin"><h1>Tearsheet</h1>
<p>Placement previews: pictures of ads in slots of live pages.</p>
${hasWays(ways) ? html`${signInWays(paths, ways, { next: '' })}${others}` : form}
<p><a href="${base}/docs">API reference</a> (<a href="${base}/openapi.json">openapi.json</a>)</p>
</section>`;
  return { title: 'Welcome', body };
}
