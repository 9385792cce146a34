/** Routes that sign a person in and out. */
import type { Router } from 'express';
import { endSession } from '../../store/organizations/endedSessions.ts';
import type { PagesOptions } from './context.ts';
import { forgetHome } from './homeCookie.ts';
import { billingPage } from './messagePages.ts';
import { signInOnce } from './oneTimeSignIn.ts';
import { slugOf, type ViewerRequest } from './pageHandlers.ts';
import { pathsOf } from './paths.ts';
import { formBody, type RouteTools } from './routing.ts';
import { cookieOptions, signIn } from './signIn.ts';
import { COOKIE, findSession } from './viewer.ts';

export function addSessionRoutes(router: Router, options: PagesOptions, { handlers }: RouteTools): void {
  const body = formBody();
  router.get('/o/:slug/billing', (request, response) => {
    const slug = slugOf(request);
    handlers.send(response, billingPage(slug, options.contact), { paths: pathsOf(options.publicUrl, slug) });
  });
  router.post('/o/:slug/sign-in', body, async (request, response) => {
    const paths = pathsOf(options.publicUrl, slugOf(request));
    const signInAgain = await signIn(options, { request, response, paths });
    if (signInAgain !== undefined) handlers.send(response, signInAgain, { paths });
  });
  router.get('/o/:slug/sign-in/:token', async (request, response) => {
    const paths = pathsOf(options.publicUrl, slugOf(request));
    const signInWithKey = await signInOnce(options, { request, response, paths });
    if (signInWithKey !== undefined) handlers.send(response, signInWithKey, { paths });
  });
  const signOut = async ({ request, response, viewer, paths }: ViewerRequest) => {
    const session = findSession(options.secret, request, viewer.slug);
    if (session !== undefined)
      await endSession(options.store.db, { id: session.id, expires: new Date(session.expires * 1000) });
    response.clearCookie(COOKIE, cookieOptions(options.publicUrl, paths));
    forgetHome(response, { publicUrl: options.publicUrl, paths });
  };
  router.post('/o/:slug/sign-out', body, handlers.form(signOut, false));
}
