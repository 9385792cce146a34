/** Routes of deliveries. */
import type { Router } from 'express';
import { COST } from '../../api/limits/costs.ts';
import { deliveryDetailRecord } from '../../core/sets/setJson.ts';
import { findDelivery } from '../../core/webhooks/listDeliveries.ts';
import { replay } from '../actions.ts';
import type { PagesOptions, Viewer } from '../context.ts';
import type { LiveSource } from '../live.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import { formBody, idOf, type RouteTools } from '../routing.ts';
import { findViewer } from '../viewer.ts';
import { deliveryListPage } from './deliveryListPage.ts';
import { deliveryPage } from './deliveryPage.ts';
import { readDeliveryQuery } from './deliveryQuery.ts';

export function addDeliveryRoutes(router: Router, options: PagesOptions, { handlers, live }: RouteTools): void {
  const path = '/o/:slug/deliveries/:id';
  router.get(
    '/o/:slug/deliveries',
    handlers.page(
      'organization',
      ({ request, viewer, paths }) => deliveryListPage(options, { viewer, paths, query: readDeliveryQuery(request) }),
      COST.list,
    ),
  );
  router.get(
    `${path}.json`,
    handlers.json('organization', async ({ request, viewer: { organizationId } }) => {
      const row = await findDelivery(options.store.db, { organizationId, id: idOf(request) });
      return row && deliveryDetailRecord(row);
    }),
  );
  router.get(
    path,
    handlers.page('organization', ({ request, viewer, paths }) =>
      deliveryPage(options, idOf(request), { viewer, paths }),
    ),
  );
  router.get(
    `${path}/events`,
    handlers.page(
      'organization',
      async ({ request, response, viewer: { organizationId } }) => {
        const access = () => findViewer(options, request);
        await live.open(response, organizationId, deliverySource(options, idOf(request), access));
        return 'sent';
      },
      COST.list,
    ),
  );
  const replayFromForm = ({ request, viewer }: ViewerRequest) => replay(options, viewer, idOf(request));
  router.post(`${path}/replay`, formBody(), handlers.form(replayFromForm));
}

/** Follows the attempts of a delivery until it ends. */
function deliverySource(
  { store }: PagesOptions,
  id: string,
  findViewerAgain: () => Promise<Viewer | undefined>,
): LiveSource {
  return {
    concerns: (change) => change.delivery === id || Object.keys(change).length === 0,
    read: async () => {
      const viewer = await findViewerAgain();
      const row = viewer && (await findDelivery(store.db, { organizationId: viewer.organizationId, id }));
      if (row === undefined) return undefined;
      return { status: row.status, resolved: row.attempts, total: row.attempts, over: row.status !== 'pending' };
    },
  };
}
