import { type AdHead, readAdHead, readCreative } from '../../store/ads/readAd.ts';
import type { Queryable } from '../../store/database/database.ts';
import { type DeliveryRow, listDeliveries } from '../../store/deliveries/listDeliveries.ts';
import { readSetsOfAd } from '../../store/sets/readSet.ts';

export interface AdPageData {
  readonly ad: AdHead;
  readonly creative: Awaited<ReturnType<typeof readCreative>>;
  readonly deliveries: readonly DeliveryRow[];
  readonly sets: Awaited<ReturnType<typeof readSetsOfAd>>;
}

const SETS_SHOWN = 10;
const DELIVERIES_SHOWN = 50;

export async function findAdPageData(
  db: Queryable,
  id: string,
  organizationId: string,
): Promise<AdPageData | undefined> {
  const ad = await readAdHead(db, { id, organizationId });
  if (ad === undefined) return undefined;
  const [creative, deliveries, sets] = await Promise.all([
    readCreative(db, id),
    listDeliveries(db, { organizationId, adId: id }, { page: 1, perPage: DELIVERIES_SHOWN }),
    readSetsOfAd(db, id, SETS_SHOWN),
  ]);
  return { ad, creative, deliveries: deliveries.rows, sets };
}
