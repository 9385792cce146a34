import {
  ConnectorCheckBody,
  ConnectorRecord,
  ConnectorReference,
  S3ConnectorBody,
} from '../../../contract/connectors.ts';
import { ConnectorsQuery } from '../../../contract/queries.ts';
import { ConnectorName } from '../../../contract/requests.ts';
import { connectorRecord } from '../../../core/buckets/connectorJson.ts';
import { type ConnectorKey, findS3Connector, listS3Connectors } from '../../../core/buckets/connectorQueries.ts';
import {
  removeConnector,
  requestConnectorCheck,
  requireConnector,
  saveConnector,
} from '../../../core/buckets/connectors.ts';
import { DEFAULT_CONNECTOR, isConnectorName } from '../../../domain/connectors.ts';
import { SLUG } from '../../../domain/slugs.ts';
import { COST } from '../../limits/costs.ts';
import { type Call, jsonResponse, NO_CONTENT, type Route, readOrFail } from '../endpoint.ts';
import { changes, jsonBody, list, route } from './operation.ts';

const name = ConnectorName.meta({
  description: 'Name of the connector.',
  pattern: SLUG.source,
  example: DEFAULT_CONNECTOR,
});
const params = { name };

export const connectorRoutes: readonly Route[] = [
  route('get /connectors', 'admin', {
    ...list('listConnectors', 'List the connectors', ConnectorsQuery, ConnectorRecord),
    handler: async ({ query, organizationId }, { store, awsPrincipal }) => {
      const data = (await listS3Connectors(store.db, organizationId, query)).map((row) =>
        connectorRecord(row, awsPrincipal),
      );
      return jsonResponse(200, { data, page: 1, per_page: Math.max(1, data.length), total: data.length });
    },
  }),
  route('get /connectors/{name}', 'admin', {
    params,
    operationId: 'getConnector',
    summary: 'Read a connector',
    answer: ConnectorRecord,
    handler: async (call, { store, awsPrincipal }) =>
      jsonResponse(200, connectorRecord(requireConnector(await findS3Connector(store.db, keyOf(call))), awsPrincipal)),
  }),
  route('put /connectors/{name}', 'admin', {
    params,
    operationId: 'replaceConnector',
    summary: 'Set a connector',
    description:
      'Creates or replaces the connector of this name. Private addresses and those of metadata services are rejected.',
    body: jsonBody(S3ConnectorBody, {
      region: 'eu-central-1',
      access_key_id: 'AKIAEXAMPLE',
      secret_access_key: 'wJalrXUtnEXAMPLE',
    }),
    answer: ConnectorRecord,
    handler: async (call, { store, queue, awsPrincipal, guard }) => {
      const {
        request,
        organizationId,
        actor,
        place: { slug },
      } = call;
      const { name } = readOrFail(ConnectorReference, { name: request.params['name'] });
      const body = call.input;
      const row = await saveConnector(
        store.db,
        { organizationId, slug, name },
        { body, guard, awsPrincipal, queue, actor },
      );
      return jsonResponse(200, connectorRecord(row, awsPrincipal));
    },
  }),
  route('delete /connectors/{name}', 'admin', {
    params,
    operationId: 'deleteConnector',
    summary: 'Remove a connector',
    description: 'Deliveries that use it fail from now on.',
    answer: 'Removed.',
    handler: async (call, { store }) => {
      const key = keyOf(call);
      if (!isConnectorName(key.name)) requireConnector(undefined);
      // A name can be used again, so a second request looks like one for a name that never existed.
      await store.db.transaction().execute((tx) => removeConnector(tx, key, call.actor));
      return NO_CONTENT;
    },
  }),
  route('post /connectors/{name}/check', 'admin', {
    cost: COST.outgoing,
    params,
    operationId: 'checkConnector',
    summary: 'Check a connector',
    description: `Writes a small object into the bucket and deletes it. \`GET …/connectors/{name}\` returns the result in \`check\` after a few seconds.`,
    body: jsonBody(ConnectorCheckBody, { bucket: 'pictures', key_prefix: 'tearsheet/' }),
    status: 202,
    answer: ConnectorRecord,
    handler: changes(
      (tx, call, { queue }) => requestConnectorCheck(tx, keyOf(call), call.input, { queue, actor: call.actor }),
      (row, _call, { awsPrincipal }) => connectorRecord(row, awsPrincipal),
      202,
    ),
  }),
];

function keyOf({ request, organizationId }: Call): ConnectorKey {
  return { organizationId, name: String(request.params['name']) };
}
