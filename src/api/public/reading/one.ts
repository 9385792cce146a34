import type { Database } from '../../../store/database/database.ts';
import { readAdRecord, readSetRecord } from '../../presenters/readRecords.ts';
import { type Answer, answer, type Call, idOf, unknownId } from '../endpoint.ts';

/** Exactly what an event about it carries as `data.object`. @throws Failure (404) */
export function oneAd(db: Database): (call: Call) => Promise<Answer> {
  return async ({ request, organizationId, place }) => {
    const record = await readAdRecord(db, { id: idOf(request), organizationId, publicUrl: place.publicUrl });
    if (record === undefined) throw unknownId();
    return answer(200, record);
  };
}

/** As {@link oneAd}, of a set. */
export function oneSet(db: Database): (call: Call) => Promise<Answer> {
  return async ({ request, organizationId, place }) => {
    const record = await readSetRecord(db, { id: idOf(request), organizationId, publicUrl: place.publicUrl });
    if (record === undefined) throw unknownId();
    return answer(200, record);
  };
}
