/** Accepts a placement. The capture of its job takes the picture of the page. */
import { randomUUID } from 'node:crypto';
import { type Insertable, sql } from 'kysely';
import type { z } from 'zod';
import type { CreatePlacement } from '../../contract/placements.ts';
import type { Queryable } from '../../db/database.ts';
import type { Row } from '../../db/rows.ts';
import type { Schema } from '../../db/schema.ts';
import type { AdSize } from '../../domain/ads.ts';
import { invalid } from '../../domain/failure.ts';
import { PLACEMENT_DAYS } from '../../domain/retention.ts';
import { activeTraceparent } from '../../observe/tracing.ts';
import { type AcceptanceContext, requireQuota } from './acceptScreenshotRequest.ts';

interface WantedPlacement {
  readonly organizationId: string;
  readonly wanted: z.output<typeof CreatePlacement>;
}

/**
 * Stores a placement and asks for the admission of its job. It counts as one screenshot.
 * @throws Failure: 422 for an ad that is unknown or has no known size, 429 over the quota of the day.
 */
export async function acceptPlacement(
  tx: Queryable,
  { organizationId, wanted: { site, device, sizes, ad, image_ratio } }: WantedPlacement,
  { queue, quotas }: Pick<AcceptanceContext, 'queue' | 'quotas'>,
): Promise<Row<'placements'>> {
  const named = sizes ?? [await sizeOfAd(tx, organizationId, ad?.id ?? '')];
  const distinct = new Map(named.map((size) => [`${size.width}x${size.height}`, size]));
  const row = await insertPlacement(tx, {
    id: randomUUID(),
    organization_id: organizationId,
    site_url: site.url,
    device: device.name,
    sizes: JSON.stringify([...distinct.values()]),
    image_ratio: image_ratio ?? 1,
    traceparent: activeTraceparent() ?? null,
  });
  await queue.enqueue(tx, 'launch', { organization_id: organizationId });
  await requireQuota(tx, { organizationId, quotas }, 1);
  return row;
}

async function sizeOfAd(tx: Queryable, organizationId: string, id: string): Promise<AdSize> {
  const ad = await tx
    .selectFrom('ads')
    .select(({ fn }) => [
      fn.coalesce('given_width', 'width').as('width'),
      fn.coalesce('given_height', 'height').as('height'),
    ])
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (ad === undefined) throw invalid({ 'ad.id': ['is not the id of an ad of this organization.'] });
  const { width, height } = ad;
  if (width === null || height === null)
    throw invalid({
      'ad.id': ['is an ad whose size is not known before its preview is captured: give sizes instead.'],
    });
  return { width, height };
}

/** An organization that keeps its sets for a shorter time keeps its placements as long. */
export async function insertPlacement(
  tx: Queryable,
  placement: Omit<Insertable<Schema['placements']>, 'expires_at'>,
): Promise<Row<'placements'>> {
  const expires_at = sql<Date>`(
    select now() + make_interval(days => least(set_retention_days, ${PLACEMENT_DAYS})) from organizations
    where id = ${placement.organization_id})`;
  return tx
    .insertInto('placements')
    .values({ ...placement, expires_at })
    .returningAll()
    .executeTakeFirstOrThrow();
}
