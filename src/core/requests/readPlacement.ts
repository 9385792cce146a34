/** Reads a placement, and makes its JSON. */
import { PlacementRecord } from '../../contract/placements.ts';
import { recordOf } from '../../contract/recordOf.ts';
import { deviceRecord } from '../../contract/records.ts';
import type { Queryable } from '../../db/database.ts';
import type { Row, RowQuery } from '../../db/rows.ts';
import { imageUrl } from '../../domain/addresses.ts';

/** @returns undefined if this organization has no such placement. */
export async function readPlacement(db: Queryable, query: Required<RowQuery>): Promise<Row<'placements'> | undefined> {
  return db
    .selectFrom('placements')
    .selectAll()
    .where('id', '=', query.id)
    .where('organization_id', '=', query.organizationId)
    .executeTakeFirst();
}

export function placementRecord(row: Row<'placements'>, publicUrl: string): PlacementRecord {
  return recordOf(PlacementRecord, row, {
    ...(row.reason !== null && { reason: row.reason }),
    site: { url: row.site_url },
    device: deviceRecord(row.device),
    final_url: row.record?.final_url ?? null,
    image_url: row.image_token === null ? null : imageUrl(publicUrl, row.image_token),
    page: row.record?.page ?? null,
    site_rules: row.record?.site_rules ?? [],
    sizes:
      row.record?.sizes ?? row.sizes.map((size) => ({ ...size, chosen: null, candidates: [], candidates_found: 0 })),
  });
}
