import type { Express } from 'express';
import { createGuard, type Guard } from '../../../egress/guard.ts';
import { route } from '../../server/route.ts';
import type { Endpoint } from '../endpoint.ts';
import type { PublicApiOptions } from '../options.ts';
import { auditLog } from './auditLog.ts';
import { checkConnector, listConnectors, oneConnector, putConnector, removeConnector } from './connectors.ts';
import { createKey, listKeys, revokeKey } from './keys.ts';
import { changeSettings, readSettings } from './settings.ts';
import {
  endpointList,
  newEndpoint,
  oneEndpoint,
  patchEndpoint,
  removeEndpoint,
  rotateEndpoint,
  testEndpoint,
} from './webhookEndpoints.ts';
import { rotateSecret, testWebhook, webhookSecret } from './webhooks.ts';

const ORGANIZATION = '/api/v1/orgs/:slug';

/** Everything but reading the settings needs the scope "admin", also to read. */
export function addSettingRoutes(app: Express, options: PublicApiOptions, endpoint: Endpoint): void {
  const { guard = createGuard({ allow: [] }) } = options;
  route(app, `${ORGANIZATION}/settings`, {
    get: endpoint('read', readSettings(options)),
    patch: endpoint('admin', changeSettings(options)),
  });
  route(app, `${ORGANIZATION}/keys`, {
    get: endpoint('admin', listKeys(options)),
    post: endpoint('admin', createKey(options)),
  });
  route(app, `${ORGANIZATION}/keys/:id`, { delete: endpoint('admin', revokeKey(options)) });
  route(app, `${ORGANIZATION}/webhook_secret`, { get: endpoint('admin', webhookSecret(options)) });
  route(app, `${ORGANIZATION}/webhook_secret/rotate`, { post: endpoint('admin', rotateSecret(options)) });
  route(app, `${ORGANIZATION}/webhook_tests`, { post: endpoint('admin', testWebhook(options, guard)) });
  addEndpointRoutes(app, options, { endpoint, guard });
  route(app, `${ORGANIZATION}/connectors`, { get: endpoint('admin', listConnectors(options)) });
  route(app, `${ORGANIZATION}/connectors/:name`, {
    get: endpoint('admin', oneConnector(options)),
    put: endpoint('admin', putConnector(options, guard)),
    delete: endpoint('admin', removeConnector(options)),
  });
  route(app, `${ORGANIZATION}/audit_log`, { get: endpoint('admin', auditLog(options)) });
  route(app, `${ORGANIZATION}/connectors/:name/check`, { post: endpoint('admin', checkConnector(options)) });
}

function addEndpointRoutes(
  app: Express,
  options: PublicApiOptions,
  { endpoint, guard }: { endpoint: Endpoint; guard: Pick<Guard, 'resolve'> },
): void {
  const path = `${ORGANIZATION}/webhook_endpoints`;
  route(app, path, {
    get: endpoint('admin', endpointList(options)),
    post: endpoint('admin', newEndpoint(options, guard)),
  });
  route(app, `${path}/:id`, {
    get: endpoint('admin', oneEndpoint(options)),
    patch: endpoint('admin', patchEndpoint(options, guard)),
    delete: endpoint('admin', removeEndpoint(options)),
  });
  route(app, `${path}/:id/rotate`, { post: endpoint('admin', rotateEndpoint(options)) });
  route(app, `${path}/:id/test`, { post: endpoint('admin', testEndpoint(options)) });
}
