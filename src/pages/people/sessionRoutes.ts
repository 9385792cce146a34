/** Routes that sign a person in and out. */
import { actorOf } from '../../api/server/caller.ts';
import { recordAction } from '../../core/journal/auditLogQueries.ts';
import { endSession } from '../../core/organizations/apiKeys.ts';
import { findKeyRow } from '../../core/organizations/keyList.ts';
import { findOrganization } from '../../core/organizations/organizations.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { createRateLimiter } from '../../lib/rateLimiter.ts';
import type { PagesOptions } from '../parts/context.ts';
import { clearCookie } from '../parts/cookies.ts';
import { pathsOf } from '../parts/paths.ts';
import { billingPage, formBody, goBack, type PageRoutes, slugOf, type ViewerRequest } from '../routes/pageRoutes.ts';
import { type Refusal, signIn } from '../signIn/signIn.ts';
import { COOKIE, findSession, forgetHome } from '../signIn/viewer.ts';

/** Such entries can be caused without a key, so each process adds at most 20 of an organization at once, and 6 a minute. */
const LIMIT = { burst: 20, perSecond: 0.1 };

type RefusalLog = (actor: Actor, refusal: Refusal) => Promise<void>;

export function addSessionRoutes(pages: PageRoutes): void {
  const { options, router } = pages;
  router.get('/o/:slug/billing', (request, response) => {
    const slug = slugOf(request);
    pages.send(response, billingPage(slug, options.contact), { paths: pathsOf(options.publicUrl, slug) });
  });
  const refusals = createRefusalLog(options);
  router.post('/o/:slug/sign-in', formBody(), async (request, response) => {
    const paths = pathsOf(options.publicUrl, slugOf(request));
    const actor = actorOf({ request, response }, { type: 'anonymous' });
    const refused = await signIn(options, { request, response, paths });
    options.countSignIn?.('key', refused === undefined ? 'signed_in' : 'refused');
    if (refused === undefined) return;
    pages.send(response, refused.page, { paths });
    await refusals(actor, refused.refusal);
  });
  const signOut = async (given: ViewerRequest) => {
    const { request, response, viewer, actor, paths } = given;
    const session = findSession(options.secret, request, viewer.slug);
    if (session !== undefined)
      await options.store.db.transaction().execute(async (tx) => {
        await endSession(tx, { id: session.id, expires: new Date(session.expires * 1000) });
        const { organizationId } = viewer;
        await recordAction(tx, actor, { action: 'session.ended', of: { organizationId, id: session.id } });
      });
    clearCookie(response, COOKIE, { publicUrl: options.publicUrl, path: paths.organization });
    forgetHome(response, { publicUrl: options.publicUrl, paths });
    return goBack(given);
  };
  pages.post('/o/:slug/sign-out', signOut, { scope: 'read' });
}

/** The function never fails. Call it after the response, so that its duration does not reveal whether the organization exists. */
export function createRefusalLog(
  { store: { db }, log }: Pick<PagesOptions, 'store' | 'log'>,
  now: () => number = () => performance.now(),
): RefusalLog {
  const limiter = createRateLimiter(LIMIT, now);
  // The store closes only when its transactions have ended, so a service that stops loses no entry of an answered request.
  const record = (actor: Actor, { slug, reason, keyId }: Refusal): Promise<void> =>
    db.transaction().execute(async (tx) => {
      const organizationId = (await findOrganization(tx, slug))?.id;
      if (organizationId === undefined) return;
      const known = keyId && (await findKeyRow(tx, { organizationId, id: keyId }));
      const to = { reason, key_id: known && keyId };
      await recordAction(tx, actor, { action: 'session.refused', of: { organizationId, id: null }, to });
    });
  return async (actor, refusal) => {
    if (!limiter.take(refusal.slug).allowed) return;
    await record(actor, refusal).catch((error: unknown) =>
      log.error({ err: error, request_id: actor.requestId }, 'a refused sign-in is missing in the audit log'),
    );
  };
}
