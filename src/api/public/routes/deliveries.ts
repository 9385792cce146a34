import { OURS } from '../../../contract/descriptions.ts';
import { DeliveriesQuery } from '../../../contract/queries.ts';
import { DeliveryDetailRecord, DeliveryRecord } from '../../../contract/records.ts';
import { COST } from '../../limits/costs.ts';
import type { Route } from '../endpoint.ts';
import { deliveryList, oneDelivery } from '../reading.ts';
import { replay } from '../reviewing.ts';
import { idempotent, list, responses, withId } from './operation.ts';

export const deliveryRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/deliveries',
    scope: 'read',
    cost: COST.list,
    operation: list('listDeliveries', 'List deliveries, newest first', DeliveriesQuery, DeliveryRecord),
    handler: ({ store }) => deliveryList(store.db),
  },
  {
    method: 'post',
    path: '/deliveries/{id}/replay',
    scope: 'write',
    operation: {
      operationId: 'replayDelivery',
      summary: 'Send a delivery again',
      description: `Its attempts start again, also while it waits for its next attempt. 409 before its first attempt, and if its webhook endpoint is disabled or deleted. ${OURS}`,
      tags: ['Deliveries'],
      requestParams: { path: withId('delivery'), header: idempotent },
      responses: responses(202, DeliveryRecord, [409, 422]),
    },
    handler: replay,
  },
];

export const deliveryDetailRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/deliveries/{id}',
    scope: 'read',
    operation: {
      operationId: 'getDelivery',
      summary: 'Read one delivery',
      description: `With all attempts, the start of each response, and the event. ${OURS}`,
      tags: ['Deliveries'],
      requestParams: { path: withId('delivery') },
      responses: responses(200, DeliveryDetailRecord),
    },
    handler: ({ store }) => oneDelivery(store.db),
  },
];
