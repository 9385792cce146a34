import type { Database } from '../../../store/database/database.ts';
import { readAdRecord, readSetRecord } from '../../presenters/readRecords.ts';
import { type AuthorizedRequest, idOf, type JsonResponse, jsonResponse, unknownId } from '../endpoint.ts';

/** Exactly what an event about it carries as `data.object`. @throws Failure (404) */
export function oneAd(db: Database): (call: AuthorizedRequest) => Promise<JsonResponse> {
  return async ({ request, organizationId, place }) => {
    const record = await readAdRecord(db, { id: idOf(request), organizationId, publicUrl: place.publicUrl });
    if (record === undefined) throw unknownId();
    return jsonResponse(200, record);
  };
}

/** As {@link oneAd}, of a set. */
export function oneSet(db: Database): (call: AuthorizedRequest) => Promise<JsonResponse> {
  return async ({ request, organizationId, place }) => {
    const record = await readSetRecord(db, { id: idOf(request), organizationId, publicUrl: place.publicUrl });
    if (record === undefined) throw unknownId();
    return jsonResponse(200, record);
  };
}
