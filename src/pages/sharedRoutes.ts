/** Serves what a share link opens, without a key: /s/:token. */
import type { Request, RequestHandler, Router } from 'express';
import { readShareToken } from '../api/auth/shareTokens.ts';
import { COST } from '../api/limits/costs.ts';
import { wasRemoved } from '../core/removal/deletions.ts';
import { findShareLink, noteShareLinkUse, type SharedSet } from '../core/sharing/shareLinks.ts';
import { shareState } from '../domain/shareLinks.ts';
import type { PagesOptions, ResultsPage } from './context.ts';
import { type DownloadSource, downloadPage, startDownload } from './downloads/downloadPage.ts';
import { setSource } from './live.ts';
import { EXPIRED_LINK, REMOVED_PICTURES, REVOKED_LINK, UNAVAILABLE_LINK, UNKNOWN_LINK } from './messagePages.ts';
import { pathsOf } from './paths.ts';
import { pageOf, type RouteTools } from './routing.ts';
import { brandStyle, sharedPage } from './sharedPage.ts';

export function addSharedRoutes(router: Router, options: PagesOptions, { handlers, live }: RouteTools): void {
  const { db } = options.store;
  /** Each request looks the link up, so that a revoked one shows nothing. */
  const opened =
    (
      show: (share: SharedSet, ...args: Parameters<RequestHandler>) => Promise<ResultsPage | 'sent' | undefined>,
      cost: number = COST.usual,
    ): RequestHandler =>
    async (request, response, next) => {
      options.openLimits?.takeOfAddress(request, response);
      const found = await find(options, request);
      if (!('title' in found)) options.openLimits?.takeOfLink(found.id, response, cost);
      const result = 'title' in found ? found : await show(found, request, response, next);
      if (result === 'sent') return;
      handlers.send(response, result ?? UNKNOWN_LINK, { paths: pathsOf(options.publicUrl, '') });
    };
  router.get(
    '/s/:token',
    opened(async (share, request) => {
      await noteShareLinkUse(db, share.id);
      const paths = pathsOf(options.publicUrl, '');
      return sharedPage(options, share, { paths, token: String(request.params['token']), page: pageOf(request) });
    }),
  );
  router.get(
    '/s/:token/events',
    opened(async (share, request, response) => {
      const access = async () => {
        const found = await find(options, request);
        return 'title' in found ? undefined : found;
      };
      await live.open(response, share.organizationId, setSource(options, share.set_id, access));
      return 'sent';
    }, COST.list),
  );
  const sourceOf = (share: SharedSet, request: Request): DownloadSource => {
    const paths = pathsOf(options.publicUrl, '');
    const path = paths.share(String(request.params['token']));
    return { organizationId: share.organizationId, setId: share.set_id, audience: 'shared', path, base: paths.base };
  };
  router.get(
    '/s/:token/brand.css',
    opened(async (share, _request, response) => {
      response.set({ 'Content-Type': 'text/css; charset=utf-8', 'Cache-Control': 'no-store' });
      response.end(await brandStyle(options, share));
      return 'sent';
    }),
  );
  router.get(
    '/s/:token/export',
    opened(
      async (share, request, response) =>
        share.downloads ? startDownload(options, sourceOf(share, request), { request, response }) : undefined,
      COST.heavy,
    ),
  );
  router.get(
    '/s/:token/exports/:export',
    opened(async (share, request, response) =>
      share.downloads ? downloadPage(options, sourceOf(share, request), { request, response }) : undefined,
    ),
  );
  router.use('/s', (_request, response) => {
    handlers.send(response, UNKNOWN_LINK, { paths: pathsOf(options.publicUrl, '') });
  });
}

/** @returns the set of a valid link, or the page that says why there is none. */
async function find({ store, secret }: PagesOptions, request: Request): Promise<SharedSet | ResultsPage> {
  const id = readShareToken(secret, String(request.params['token']));
  if (id === undefined) return UNKNOWN_LINK;
  const share = await findShareLink(store.db, id);
  if (share === undefined) return (await wasRemoved(store.db, { id })) ? REMOVED_PICTURES : UNKNOWN_LINK;
  const state = shareState(share, new Date());
  if (state === 'revoked') return REVOKED_LINK;
  if (state === 'expired') return EXPIRED_LINK;
  return share.disabled ? UNAVAILABLE_LINK : share;
}
