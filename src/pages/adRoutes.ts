/** Routes of the page of an ad. */
import type { Router } from 'express';
import { COST } from '../api/limits/costs.ts';
import { readAdRecord } from '../core/sets/readRecords.ts';
import { adPage } from './adPage.ts';
import type { PagesOptions } from './context.ts';
import { adSource } from './live.ts';
import { idOf, type RouteTools, recordQuery } from './routing.ts';
import { findViewer } from './viewer.ts';

export function addAdRoutes(router: Router, options: PagesOptions, { handlers, live }: RouteTools): void {
  const path = '/o/:slug/ads/:id';
  router.get(
    `${path}.json`,
    handlers.json('organization', (pageRequest) => readAdRecord(options.store.db, recordQuery(options, pageRequest))),
  );
  router.get(
    path,
    handlers.page('organization', ({ request, viewer, paths }) => adPage(options, idOf(request), { viewer, paths })),
  );
  router.get(
    `${path}/events`,
    handlers.page(
      'organization',
      async ({ request, response, viewer }) => {
        await live.open(
          response,
          viewer.organizationId,
          adSource(options, idOf(request), () => findViewer(options, request)),
        );
        return 'sent';
      },
      COST.list,
    ),
  );
}
