/** Queries about one screenshot of an organization. */
import type { Queryable } from '../../db/database.ts';
import type { Row, ScreenshotRow } from '../../db/rows.ts';
import { readAds } from '../ads/readAd.ts';
import { SCREENSHOT_COLUMNS } from './readScreenshots.ts';

interface ScreenshotRef {
  readonly organizationId: string;
  readonly screenshotId: string;
}

/** Locks a screenshot of this organization until the transaction ends. */
export async function lockScreenshot(
  transaction: Queryable,
  { organizationId, screenshotId }: ScreenshotRef,
): Promise<Pick<Row<'screenshots'>, 'set_id' | 'status' | 'decision'> | undefined> {
  return transaction
    .selectFrom('screenshots as s')
    .innerJoin('screenshot_sets as t', 't.id', 's.set_id')
    .select(['s.set_id', 's.status', 's.decision'])
    .where('s.id', '=', screenshotId)
    .where('t.organization_id', '=', organizationId)
    .forUpdate('s')
    .executeTakeFirst();
}

/** @returns undefined if this organization has no such screenshot. */
export async function readScreenshot(
  db: Queryable,
  { organizationId, screenshotId }: ScreenshotRef,
): Promise<(ScreenshotRow & { readonly set_id: string; readonly approved_at: Date | null }) | undefined> {
  const row = await db
    .selectFrom('screenshots')
    .innerJoin('screenshot_sets', 'screenshot_sets.id', 'screenshots.set_id')
    .leftJoin('images', 'images.token', 'screenshots.image_token')
    .select(SCREENSHOT_COLUMNS)
    .select(['screenshots.set_id', 'screenshot_sets.approved_at'])
    .where('screenshots.id', '=', screenshotId)
    .where('screenshot_sets.organization_id', '=', organizationId)
    .executeTakeFirst();
  const ad = row && (await readAds(db, [row.ad_id])).get(row.ad_id);
  return row && ad && { ...row, ad };
}

export async function setDecision(
  transaction: Queryable,
  screenshotId: string,
  decision: Row<'screenshots'>['decision'],
): Promise<void> {
  await transaction.updateTable('screenshots').set({ decision }).where('id', '=', screenshotId).execute();
}
