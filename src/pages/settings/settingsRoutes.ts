/** Routes of the settings. All of them need a key with the scope admin. */
import type { Router } from 'express';
import { COST } from '../../api/limits/costs.ts';
import { type ConnectorKey, findS3Connector } from '../../core/buckets/connectorQueries.ts';
import type { PagesOptions, Viewer } from '../context.ts';
import type { LiveSource } from '../live.ts';
import { formBody, pageOf, type RouteTools } from '../routing.ts';
import { findViewer } from '../viewer.ts';
import { adminHandlers, isAdmin } from './adminHandlers.ts';
import { auditLogPage } from './auditLogPage.ts';
import { connectorName, connectorPage, removePage } from './connectorPage.ts';
import { EndpointActions } from './endpointActions.ts';
import { endpointsPage } from './endpointsPage.ts';
import { generalPage } from './generalPage.ts';
import { keysPage, revokePage } from './keysPage.ts';
import { SettingsActions } from './settingsActions.ts';
import { rotatePage, webhooksPage } from './webhooksPage.ts';

const BASE = '/o/:slug/settings';

export function addSettingsRoutes(router: Router, options: PagesOptions, { handlers, live }: RouteTools): void {
  const admin = adminHandlers(options, handlers);
  const actions = new SettingsActions(options);
  const body = formBody();
  router.get(
    BASE,
    admin.page((given) => generalPage(options, given)),
  );
  router.post(BASE, body, admin.form(actions.setReview));
  router.post(`${BASE}/retention`, body, admin.form(actions.setRetention));

  router.get(
    `${BASE}/keys`,
    admin.page((given) => keysPage(options, given, { page: pageOf(given.request) }), COST.list),
  );
  router.post(`${BASE}/keys`, body, admin.form(actions.createKey));
  router.get(
    `${BASE}/keys/:key/revoke`,
    admin.page((given) => revokePage(options, String(given.request.params['key']), given)),
  );
  router.post(`${BASE}/keys/:key/revoke`, body, admin.form(actions.revokeKey));

  router.get(
    `${BASE}/audit_log`,
    admin.page((given) => auditLogPage(options, given), COST.list),
  );

  router.get(
    `${BASE}/webhooks`,
    admin.page((given) => webhooksPage(options, given)),
  );
  router.get(
    `${BASE}/webhooks/rotate`,
    admin.page((given) => rotatePage(options, given)),
  );
  router.post(`${BASE}/webhooks/rotate`, body, admin.form(actions.rotateSecret));
  router.post(`${BASE}/webhooks/test`, body, admin.form(actions.testWebhook, COST.outgoing));

  const endpoints = new EndpointActions(options);
  router.get(
    `${BASE}/endpoints`,
    admin.page((given) => endpointsPage(options, given)),
  );
  router.post(`${BASE}/endpoints`, body, admin.form(endpoints.create));
  router.get(`${BASE}/endpoints/:endpoint`, admin.page(endpoints.show));
  for (const action of ['enable', 'disable', 'rotate'] as const)
    router.post(`${BASE}/endpoints/:endpoint/${action}`, body, admin.form(endpoints[action]));
  router.post(`${BASE}/endpoints/:endpoint/test`, body, admin.form(endpoints.test, COST.outgoing));

  router.get(
    `${BASE}/connectors`,
    admin.page((given) => connectorPage(options, given), COST.list),
  );
  router.post(`${BASE}/connectors`, body, admin.form(actions.saveConnector));
  router.post(`${BASE}/connectors/check`, body, admin.form(actions.checkConnector, COST.outgoing));
  router.get(
    `${BASE}/connectors/remove`,
    admin.page((given) => Promise.resolve(removePage(given))),
  );
  router.post(`${BASE}/connectors/remove`, body, admin.form(actions.removeConnector));
  router.get(
    `${BASE}/connectors/events`,
    admin.page(async ({ request, response, viewer: { organizationId } }) => {
      const access = () => findViewer(options, request);
      const key = { organizationId, name: connectorName(request) };
      await live.open(response, organizationId, checkSource(options, key, access));
      return 'sent';
    }, COST.list),
  );
}

/** Follows the check of a connector until it ends. */
function checkSource(
  { store }: PagesOptions,
  key: ConnectorKey,
  findViewerAgain: () => Promise<Viewer | undefined>,
): LiveSource {
  return {
    concerns: (change) => change.connector === key.organizationId || Object.keys(change).length === 0,
    read: async () => {
      const viewer = await findViewerAgain();
      if (viewer === undefined || !isAdmin(viewer)) return undefined;
      const status = (await findS3Connector(store.db, key))?.check_status ?? 'none';
      const over = status !== 'pending';
      return { status, resolved: over ? 1 : 0, total: 1, over };
    },
  };
}
