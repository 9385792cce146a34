import { z } from 'zod';
import { ConnectorCheckBody, ConnectorRecord, S3ConnectorBody } from '../../../contract/connectors.ts';
import { ConnectorsQuery } from '../../../contract/queries.ts';
import { ConnectorName } from '../../../contract/requests.ts';
import { DEFAULT_CONNECTOR } from '../../../domain/connectors.ts';
import { SLUG } from '../../../domain/slugs.ts';
import { COST } from '../../limits/costs.ts';
import type { Route } from '../endpoint.ts';
import { checkConnector, listConnectors, oneConnector, putConnector, removeConnector } from '../settings/connectors.ts';
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
    handler: listConnectors,
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
    handler: oneConnector,
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
    handler: putConnector,
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
    handler: removeConnector,
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
    handler: checkConnector,
  },
];
