import { Faults } from '../../contract/faults.ts';
import { ReviewBody } from '../../contract/requests.ts';
import { invalid } from '../../domain/failure.ts';
import { listDeliveries } from '../../store/deliveries/listDeliveries.ts';
import { replayDelivery } from '../../workflow/replay.ts';
import { reviewSet, type SetAction } from '../../workflow/reviews.ts';
import { deliveryRecord } from '../presenters/listItems.ts';
import { readSetRecord } from '../presenters/readRecords.ts';
import { type AuthorizedRequest, idOf, type JsonResponse, jsonResponse, unknownId } from './endpoint.ts';
import { optionalJsonBodyReader } from './jsonBody.ts';
import type { PublicApiOptions } from './options.ts';

/** POST …/screenshot_sets/{id}/approve, reject or cancel: responds with the changed set. */
export function review(
  options: PublicApiOptions,
  action: SetAction,
): (call: AuthorizedRequest) => Promise<JsonResponse> {
  const { store, limits } = options;
  const readBody = optionalJsonBodyReader(limits.bodyBytes);
  return async ({ request, response, organizationId, place }) => {
    const setId = idOf(request);
    const notes = notesOf((await readBody(request, response, organizationId)).value);
    const query = { id: setId, organizationId, publicUrl: place.publicUrl };
    return store.db.transaction().execute(async (tx) => {
      await reviewSet(tx, { action, organizationId, setId, notes }, options);
      const record = await readSetRecord(tx, query);
      if (record === undefined) throw unknownId();
      return jsonResponse(200, record);
    });
  };
}

function notesOf(body: object): string | null {
  const faults = new Faults();
  const parsed = faults.read(ReviewBody, body, '');
  if (parsed === undefined) throw invalid(faults.errors);
  return parsed.notes ?? null;
}

/** POST …/deliveries/{id}/replay: 202 with the delivery. The service then sends it again. */
export function replay({ store, queue }: PublicApiOptions): (call: AuthorizedRequest) => Promise<JsonResponse> {
  return async ({ request, organizationId }) => {
    const id = idOf(request);
    return store.db.transaction().execute(async (tx) => {
      const read = async () => (await listDeliveries(tx, { organizationId, id }, { page: 1, perPage: 1 })).rows[0];
      if ((await read()) === undefined) throw unknownId();
      await replayDelivery(tx, id, queue);
      const row = await read();
      if (row === undefined) throw unknownId();
      return jsonResponse(202, deliveryRecord(row));
    });
  };
}
