/** Stores the new ads of a request, and finds those whose lookup keys other ads have. */

import type { Queryable } from '../../db/database.ts';
import type { AdRow } from '../../db/rows.ts';
import { conflict } from '../../domain/failure.ts';
import { findAdsByKey } from '../ads/findReferences.ts';
import { type InsertedAds, insertAds, type NewAds } from '../ads/insertAds.ts';

export interface StoredAds extends InsertedAds {
  /** The ads that have the lookup keys of the others, by these keys. They cannot be removed before the transaction ends. */
  readonly existing: ReadonlyMap<string, AdRow>;
}

/** An ad can be deleted between the insert, which finds its lookup key taken, and the look-up. Then its key is free. */
const TRIES = 3;

/**
 * @returns undefined as `insertAds` does.
 * @throws Failure (409) if other ads with the same lookup keys are deleted again and again.
 */
export async function storeNewAds(tx: Queryable, given: NewAds): Promise<StoredAds | undefined> {
  const inserted = new Map<string, Date>();
  const existing = new Map<string, AdRow>();
  let { ads } = given;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const stored = await insertAds(tx, { ...given, ads });
    if (stored === undefined) return undefined;
    const { campaignId } = stored;
    for (const [id, createdAt] of stored.inserted) inserted.set(id, createdAt);
    const keys = ads.flatMap(({ id, lookupKey }) => (inserted.has(id) ? [] : (lookupKey ?? [])));
    for (const row of await findAdsByKey(tx, campaignId, keys)) existing.set(row.lookup_key ?? '', row);
    ads = ads.filter(({ id, lookupKey }) => !(inserted.has(id) || existing.has(lookupKey ?? '')));
    if (ads.length === 0) return { campaignId, inserted, existing };
  }
  throw conflict('lookup_key', 'is that of an ad that is being deleted: send the request again.');
}
