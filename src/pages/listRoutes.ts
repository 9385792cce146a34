/** Routes of the lists and of what one does from them. */
import type { Request, Router } from 'express';
import { COST } from '../api/limits/costs.ts';
import type { PagesOptions } from './context.ts';
import { formField, formFields } from './forms.ts';
import { adsPage } from './lists/adsPage.ts';
import { type BulkRequest, bulkResultPage, confirmationPage } from './lists/bulkPages.ts';
import { campaignPage, campaignsPage } from './lists/campaignsPage.ts';
import { listSource } from './lists/listLive.ts';
import { hasEmptyParameters } from './lists/listQuery.ts';
import { readSetListQuery, setsPage } from './lists/setsPage.ts';
import type { ViewerRequest } from './pageHandlers.ts';
import { addressOf } from './paths.ts';
import { formBody, idOf, type RouteTools } from './routing.ts';
import { findViewer } from './viewer.ts';

/** One list page has 25 sets. */
const BULK_FIELDS_MAX = 200;

export function addListRoutes(router: Router, options: PagesOptions, tools: RouteTools): void {
  const { handlers } = tools;
  router.get(
    '/o/:slug',
    handlers.page('organization', async ({ response, paths }) => {
      response.redirect(302, paths.sets);
      return 'sent';
    }),
  );
  const list = (path: string, show: (request: ViewerRequest) => ReturnType<typeof setsPage>) =>
    router.get(
      path,
      handlers.page(
        'organization',
        async (pageRequest) => {
          const { request, response } = pageRequest;
          if (!hasEmptyParameters(request.query)) return show(pageRequest);
          response.redirect(302, addressOf(pageRequest.paths.base + request.path, textsOf(request)));
          return 'sent';
        },
        COST.list,
      ),
    );
  list('/o/:slug/screenshot_sets', (given) => setsPage(options, readSetListQuery(given.request.query), given));
  list('/o/:slug/ads', (given) => adsPage(options, given.request.query, given));
  list('/o/:slug/campaigns', (given) => campaignsPage(options, given.request.query, given));
  router.get(
    '/o/:slug/campaigns/:id',
    handlers.page('organization', (given) => campaignPage(options, idOf(given.request), given)),
  );
  addBulkRoutes(router, options, tools);
  addListEvents(router, options, tools);
}

function addBulkRoutes(router: Router, options: PagesOptions, { handlers }: RouteTools): void {
  const path = '/o/:slug/screenshot_sets/bulk';
  router.get(
    path,
    handlers.page('organization', ({ request, viewer, paths }) => {
      const { action, set, back } = request.query;
      const ids = (Array.isArray(set) ? set : [set]).filter((id) => typeof id === 'string');
      return confirmationPage(options, { viewer, paths, action, ids, back: typeof back === 'string' ? back : '' });
    }),
  );
  router.post(
    path,
    formBody(BULK_FIELDS_MAX),
    handlers.formPage(({ request, viewer, paths }) => {
      const [action, back, notes] = [
        formField(request, 'action'),
        formField(request, 'back'),
        formField(request, 'notes'),
      ];
      const bulk: BulkRequest = { viewer, paths, action, ids: formFields(request, 'set'), back };
      return bulkResultPage(options, { ...bulk, notes });
    }),
  );
}

function addListEvents(router: Router, options: PagesOptions, { handlers, live }: RouteTools): void {
  router.get(
    '/o/:slug/screenshot_sets/events',
    handlers.page(
      'organization',
      async ({ request, response, viewer }) => {
        const since = new Date(String(request.query['since']));
        const source = listSource(options, readSetListQuery(request.query), {
          since: Number.isNaN(since.getTime()) ? undefined : since,
          findViewer: () => findViewer(options, request),
        });
        await live.open(response, viewer.organizationId, source);
        return 'sent';
      },
      COST.list,
    ),
  );
}

function textsOf({ query }: Request): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
