import { z } from 'zod';
import {
  ConnectorCheckBody,
  ConnectorRecord,
  ConnectorReference,
  S3ConnectorBody,
} from '../../../contract/connectors.ts';
import { ConnectorsQuery } from '../../../contract/queries.ts';
import { ConnectorName } from '../../../contract/requests.ts';
import { type ConnectorKey, findS3Connector, listS3Connectors } from '../../../core/buckets/connectorQueries.ts';
import {
  checkTargetOf,
  removeConnector,
  requestConnectorCheck,
  requireConnector,
  saveConnector,
} from '../../../core/buckets/connectors.ts';
import { connectorRecord } from '../../../core/organizations/settingsJson.ts';
import { DEFAULT_CONNECTOR, isConnectorName } from '../../../domain/connectors.ts';
import { SLUG } from '../../../domain/slugs.ts';
import { COST } from '../../limits/costs.ts';
import { type Call, jsonResponse, NO_CONTENT, type Route, readOrFail } from '../endpoint.ts';
import { ADMIN, BODY_FAILURES, emptyResponses, jsonBody, list, organization, responses } from './operation.ts';

const TAGS = ['Settings'];

const name = ConnectorName.meta({
  description: 'Name of the connector.',
  pattern: SLUG.source,
  example: DEFAULT_CONNECTOR,
});
const ofConnector = { tags: TAGS, requestParams: { path: z.object({ ...organization, name }) } };

export const connectorRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/connectors',
    scope: 'admin',
    cost: COST.list,
    operation: {
      ...list('listConnectors', 'List the connectors', ConnectorsQuery, ConnectorRecord),
      tags: TAGS,
      description: ADMIN,
    },
    handler: async ({ request, organizationId }, { store, awsPrincipal }) => {
      const range = readOrFail(ConnectorsQuery, request.query);
      const data = (await listS3Connectors(store.db, organizationId, range)).map((row) =>
        connectorRecord(row, awsPrincipal),
      );
      return jsonResponse(200, { data, page: 1, per_page: Math.max(1, data.length), total: data.length });
    },
  },
  {
    method: 'get',
    path: '/connectors/{name}',
    scope: 'admin',
    operation: {
      ...ofConnector,
      operationId: 'getConnector',
      summary: 'Read a connector',
      description: ADMIN,
      responses: responses(200, ConnectorRecord),
    },
    handler: async (call, { store, awsPrincipal }) =>
      jsonResponse(200, connectorRecord(requireConnector(await findS3Connector(store.db, keyOf(call))), awsPrincipal)),
  },
  {
    method: 'put',
    path: '/connectors/{name}',
    scope: 'admin',
    operation: {
      ...ofConnector,
      operationId: 'replaceConnector',
      summary: 'Set a connector',
      description: `Creates or replaces the connector of this name. Private addresses and those of metadata services are rejected. ${ADMIN}`,
      requestBody: jsonBody(S3ConnectorBody, {
        region: 'eu-central-1',
        access_key_id: 'AKIAEXAMPLE',
        secret_access_key: 'wJalrXUtnEXAMPLE',
      }),
      responses: responses(200, ConnectorRecord, BODY_FAILURES),
    },
    handler: async (call, { store, queue, awsPrincipal, guard }) => {
      const {
        request,
        organizationId,
        actor,
        place: { slug },
      } = call;
      const { name } = readOrFail(ConnectorReference, { name: request.params['name'] });
      const body = readOrFail(S3ConnectorBody, call.body.value);
      const row = await saveConnector(
        store.db,
        { organizationId, slug, name },
        { body, guard, awsPrincipal, queue, actor },
      );
      return jsonResponse(200, connectorRecord(row, awsPrincipal));
    },
  },
  {
    method: 'delete',
    path: '/connectors/{name}',
    scope: 'admin',
    operation: {
      ...ofConnector,
      operationId: 'deleteConnector',
      summary: 'Remove a connector',
      description: `Deliveries that use it fail from now on. ${ADMIN}`,
      responses: emptyResponses('Removed.'),
    },
    handler: async (call, { store }) => {
      const key = keyOf(call);
      if (!isConnectorName(key.name)) requireConnector(undefined);
      // A name can be used again, so a second request looks like one for a name that never existed.
      await store.db.transaction().execute((tx) => removeConnector(tx, key, call.actor));
      return NO_CONTENT;
    },
  },
  {
    method: 'post',
    path: '/connectors/{name}/check',
    scope: 'admin',
    cost: COST.outgoing,
    operation: {
      ...ofConnector,
      operationId: 'checkConnector',
      summary: 'Check a connector',
      description: `Writes a small object into the bucket and deletes it. \`GET …/connectors/{name}\` has the result in \`check\` after a few seconds. ${ADMIN}`,
      requestBody: jsonBody(ConnectorCheckBody, { bucket: 'pictures', key_prefix: 'tearsheet/' }),
      responses: responses(202, ConnectorRecord, BODY_FAILURES),
    },
    handler: async (call, { store, queue, awsPrincipal }) => {
      const target = checkTargetOf(readOrFail(ConnectorCheckBody, call.body.value));
      const row = await store.db
        .transaction()
        .execute((tx) => requestConnectorCheck(tx, { ...keyOf(call), target }, { queue, actor: call.actor }));
      return jsonResponse(202, connectorRecord(row, awsPrincipal));
    },
  },
];

function keyOf({ request, organizationId }: Call): ConnectorKey {
  return { organizationId, name: String(request.params['name']) };
}
