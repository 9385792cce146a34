import { z } from 'zod';
import { CreatePlacement, PlacementRecord } from '../../../contract/placements.ts';
import { OURS } from '../../../contract/schemaParts.ts';
import { readPlacement } from '../../../core/placements/placementQueries.ts';
import { acceptPlacement, placementRecord } from '../../../core/placements/placements.ts';
import { addLogFields } from '../../server/accessLog.ts';
import { foundResponse, jsonResponse, type Route, readOrFail, refOf } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { BODY_FAILURES, idempotent, jsonBody, organization, responses, withId } from './operation.ts';

const RETRY_AFTER_SECONDS = '2';

const NEW_PLACEMENT = {
  site: { url: 'https://news.example' },
  device: { name: 'desktop' },
  sizes: [
    { width: 300, height: 250 },
    { width: 728, height: 90 },
  ],
};

export const placementRoutes: readonly Route[] = [
  {
    method: 'post',
    path: '/placements',
    scope: 'write',
    operation: {
      operationId: 'createPlacement',
      summary: 'See a page and its slots',
      description: `The service opens the page once, takes its picture without an ad, and judges its slots for each size. Nothing is placed. It counts as one screenshot. ${OURS}`,
      tags: ['Creating'],
      requestParams: { path: z.object(organization), header: idempotent },
      requestBody: jsonBody(CreatePlacement, NEW_PLACEMENT),
      responses: responses(202, PlacementRecord, [...BODY_FAILURES, 409]),
    },
    handler: async (call, services) => {
      const { organizationId, place } = call;
      const wanted = readOrFail(CreatePlacement, call.body.value);
      return answerOnce(services.store.db, { call, endpoint: 'placements' }, async (tx) => {
        const row = await acceptPlacement(tx, { organizationId, wanted }, services);
        addLogFields(call.response, { placement_id: row.id });
        return jsonResponse(202, placementRecord(row, place.publicUrl));
      });
    },
  },
  {
    method: 'get',
    path: '/placements/{id}',
    scope: 'read',
    operation: {
      operationId: 'getPlacement',
      summary: 'Read one placement',
      description: `Repeat it until \`status\` is not \`pending\`; \`Retry-After\` says when. ${OURS}`,
      tags: ['Reading'],
      requestParams: { path: withId('placement') },
      responses: responses(200, PlacementRecord, [410]),
    },
    handler: async (call, { store: { db } }) => {
      const row = await readPlacement(db, refOf(call));
      if (row?.status === 'pending') call.response.set('Retry-After', RETRY_AFTER_SECONDS);
      return foundResponse(200, row && placementRecord(row, call.place.publicUrl));
    },
  },
];
