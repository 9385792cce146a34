import { CreatePlacement, PlacementRecord } from '../../../contract/placements.ts';
import { acceptPlacement } from '../../../core/requests/acceptPlacement.ts';
import { placementRecord, readPlacement } from '../../../core/requests/readPlacement.ts';
import { addLogFields } from '../../server/accessLog.ts';
import { foundResponse, jsonResponse, type Route, refOf } from '../endpoint.ts';
import { answerOnce } from '../idempotency.ts';
import { jsonBody, route } from './operation.ts';

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
  route('post /placements', 'write', {
    operationId: 'createPlacement',
    summary: 'See a page and its slots',
    description:
      'The service opens the page once, takes its picture without an ad, and judges its slots for each size. Nothing is placed. It counts as one screenshot.',
    idempotent: true,
    body: jsonBody(CreatePlacement, NEW_PLACEMENT),
    status: 202,
    answer: PlacementRecord,
    failures: [409],
    handler: async (call, services) => {
      const { organizationId, place } = call;
      const wanted = call.input;
      return answerOnce(services.store.db, { call, endpoint: 'placements' }, async (tx) => {
        const row = await acceptPlacement(tx, { organizationId, wanted }, services);
        addLogFields(call.response, { placement_id: row.id });
        return jsonResponse(202, placementRecord(row, place.publicUrl));
      });
    },
  }),
  route('get /placements/{id}', 'read', {
    operationId: 'getPlacement',
    summary: 'Read one placement',
    description: `Repeat it until \`status\` is not \`pending\`, after the time in \`Retry-After\`.`,
    answer: PlacementRecord,
    failures: [410],
    handler: async (call, { store: { db } }) => {
      const row = await readPlacement(db, refOf(call));
      if (row?.status === 'pending') call.response.set('Retry-After', RETRY_AFTER_SECONDS);
      return foundResponse(200, row && placementRecord(row, call.place.publicUrl));
    },
  }),
];
