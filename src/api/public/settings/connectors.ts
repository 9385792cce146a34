/** Handlers for the connectors of the organization. */
import { ConnectorCheckBody, ConnectorReference, S3ConnectorBody } from '../../../contract/connectors.ts';
import { ConnectorsQuery } from '../../../contract/queries.ts';
import { type ConnectorKey, findS3Connector, listS3Connectors } from '../../../core/buckets/connectorQueries.ts';
import {
  checkTargetOf,
  removeConnector as remove,
  requestConnectorCheck,
  requireConnector,
  saveConnector,
} from '../../../core/buckets/connectors.ts';
import { connectorRecord } from '../../../core/organizations/settingsJson.ts';
import { isConnectorName } from '../../../domain/connectors.ts';
import { type AuthorizedRequest, type Handler, jsonResponse, readOrFail } from '../endpoint.ts';
import { readJson } from '../jsonBody.ts';
import type { PublicApiOptions, RouteOptions } from '../options.ts';

export function listConnectors({ store, awsPrincipal }: PublicApiOptions): Handler {
  return async ({ request, organizationId }) => {
    const range = readOrFail(ConnectorsQuery, request.query);
    const data = (await listS3Connectors(store.db, organizationId, range)).map((row) =>
      connectorRecord(row, awsPrincipal),
    );
    return jsonResponse(200, { data, page: 1, per_page: Math.max(1, data.length), total: data.length });
  };
}

const keyOf = ({ request, organizationId }: Pick<AuthorizedRequest, 'request' | 'organizationId'>): ConnectorKey => ({
  organizationId,
  name: String(request.params['name']),
});

export function oneConnector({ store, awsPrincipal }: PublicApiOptions): Handler {
  return async (call) =>
    jsonResponse(200, connectorRecord(requireConnector(await findS3Connector(store.db, keyOf(call))), awsPrincipal));
}

/** PUT …/connectors/{name}: sets or replaces the connector. */
export function putConnector(options: RouteOptions): Handler {
  const { store, queue, awsPrincipal, guard } = options;
  return async ({ request, organizationId, actor, place: { slug } }) => {
    const { value } = await readJson(request);
    const { name } = readOrFail(ConnectorReference, { name: request.params['name'] });
    const body = readOrFail(S3ConnectorBody, value);
    const row = await saveConnector(
      store.db,
      { organizationId, slug, name },
      { body, guard, awsPrincipal, queue, actor },
    );
    return jsonResponse(200, connectorRecord(row, awsPrincipal));
  };
}

/** DELETE …/connectors/{name}: 204. */
export function removeConnector({ store }: PublicApiOptions): Handler {
  return async (call) => {
    const key = keyOf(call);
    if (!isConnectorName(key.name)) requireConnector(undefined);
    // A name can be used again, so a second request looks like one for a name that never existed.
    await store.db.transaction().execute((tx) => remove(tx, key, call.actor));
    return { status: 204, text: '' };
  };
}

/** POST …/connectors/{name}/check: 202 with the connector, whose check is then pending. */
export function checkConnector({ store, queue, awsPrincipal }: PublicApiOptions): Handler {
  return async (call) => {
    const { value } = await readJson(call.request);
    const target = checkTargetOf(readOrFail(ConnectorCheckBody, value));
    const row = await store.db
      .transaction()
      .execute((tx) => requestConnectorCheck(tx, { ...keyOf(call), target }, { queue, actor: call.actor }));
    return jsonResponse(202, connectorRecord(row, awsPrincipal));
  };
}
