/** Queries that resolve ads, or find ads that nothing will resolve. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { AdCategory } from '../../domain/ads.ts';
import type { AdFailure } from '../../domain/states.ts';
import type { Warning } from '../../domain/warnings.ts';

export interface AdResolution {
  readonly status: 'uploaded' | AdFailure;
  readonly reason: string | null;
  readonly category?: AdCategory;
  readonly width?: number;
  readonly height?: number;
  readonly preview_token?: string | null;
  readonly warnings?: readonly Warning[];
}

/** Resolves a pending ad. A resolved ad never changes. @returns whether the ad was pending. */
export async function resolveAd(
  transaction: Queryable,
  adId: string,
  { warnings, ...resolution }: AdResolution,
): Promise<boolean> {
  const result = await transaction
    .updateTable('ads')
    .set({
      ...resolution,
      ...(warnings === undefined ? {} : { warnings: JSON.stringify(warnings) }),
      captured_at: sql<Date>`now()`,
    })
    .where('id', '=', adId)
    .where('status', '=', 'pending')
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
