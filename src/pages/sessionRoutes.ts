/** Routes that sign a person in and out. */
import type { Request, Response, Router } from 'express';
import { actorOf } from '../api/server/caller.ts';
import { endSession } from '../core/organizations/apiKeys.ts';
import { recordAction } from '../core/organizations/auditLogQueries.ts';
import type { PagesOptions } from './context.ts';
import { forgetHome } from './homeCookie.ts';
import { billingPage } from './messagePages.ts';
import { signInOnce } from './oneTimeSignIn.ts';
import { slugOf, type ViewerRequest } from './pageHandlers.ts';
import { pathsOf } from './paths.ts';
import { createRefusalLog } from './refusedSignIns.ts';
import { formBody, type RouteTools } from './routing.ts';
import { cookieOptions, signIn } from './signIn.ts';
import { COOKIE, findSession } from './viewer.ts';

export function addSessionRoutes(router: Router, options: PagesOptions, { handlers }: RouteTools): void {
  const body = formBody();
  router.get('/o/:slug/billing', (request, response) => {
    const slug = slugOf(request);
    handlers.send(response, billingPage(slug, options.contact), { paths: pathsOf(options.publicUrl, slug) });
  });
  const refusals = createRefusalLog(options);
  const signingIn =
    (attempt: typeof signIn) =>
    async (request: Request, response: Response): Promise<void> => {
      const paths = pathsOf(options.publicUrl, slugOf(request));
      const actor = actorOf({ request, response }, { type: 'anonymous', keyId: null });
      const refused = await attempt(options, { request, response, paths });
      if (refused === undefined) return;
      handlers.send(response, refused.page, { paths });
      await refusals(actor, refused.refusal);
    };
  router.post('/o/:slug/sign-in', body, signingIn(signIn));
  router.get('/o/:slug/sign-in/:token', signingIn(signInOnce));
  const signOut = async ({ request, response, viewer, actor, paths }: ViewerRequest) => {
    const session = findSession(options.secret, request, viewer.slug);
    if (session !== undefined)
      await options.store.db.transaction().execute(async (tx) => {
        await endSession(tx, { id: session.id, expires: new Date(session.expires * 1000) });
        const { organizationId } = viewer;
        await recordAction(tx, actor, { organizationId, action: 'session.ended', objectId: session.id });
      });
    response.clearCookie(COOKIE, cookieOptions(options.publicUrl, paths));
    forgetHome(response, { publicUrl: options.publicUrl, paths });
  };
  router.post('/o/:slug/sign-out', body, handlers.form(signOut, false));
}
