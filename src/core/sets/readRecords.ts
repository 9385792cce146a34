/** Reads one ad or set as its record. The API and events use the same functions, so that they cannot differ. */
import type {
  AdRecord,
  ScreenshotDetailRecord,
  ScreenshotRecord,
  ScreenshotSetRecord,
} from '../../contract/records.ts';
import type { Queryable } from '../../db/database.ts';
import type { RowQuery } from '../../db/rows.ts';
import { readAdRow } from '../ads/readAd.ts';
import { withScreenshotHistory, withSetHistory } from '../reviews/reviewQueries.ts';
import { readScreenshot, readScreenshots } from './readScreenshots.ts';
import { readSetRow } from './readSet.ts';
import {
  adRecord,
  type OrganizationLinks,
  screenshotDetailRecord,
  screenshotRecord,
  screenshotSetRecord,
} from './setJson.ts';

export interface RecordQuery extends RowQuery {
  readonly publicUrl: string;
}

/** @returns undefined if there is no such ad. */
export async function readAdRecord(db: Queryable, query: RecordQuery): Promise<AdRecord | undefined> {
  const row = await readAdRow(db, query);
  return row && adRecord(row, { publicUrl: query.publicUrl, slug: row.slug });
}

/** @returns undefined if there is no such set. */
export async function readSetRecord(db: Queryable, query: RecordQuery): Promise<ScreenshotSetRecord | undefined> {
  const found = await readSetRow(db, query);
  if (found === undefined) return undefined;
  const [row] = await withSetHistory(db, [found]);
  if (row === undefined) return undefined;
  const screenshots = await withScreenshotHistory(db, await readScreenshots(db, found.id));
  return screenshotSetRecord(row, screenshots, { publicUrl: query.publicUrl, slug: row.slug });
}

interface ScreenshotQuery {
  readonly organizationId: string;
  readonly screenshotId: string;
}

/** @returns undefined if this organization has no such screenshot. */
export async function readScreenshotRecord(
  db: Queryable,
  query: ScreenshotQuery,
  place: OrganizationLinks,
): Promise<ScreenshotRecord | undefined> {
  const found = await readScreenshot(db, query);
  if (found === undefined) return undefined;
  const [row] = await withScreenshotHistory(db, [found]);
  return row && screenshotRecord(row, place);
}

/** As {@link readScreenshotRecord}, with the set of the screenshot. */
export async function readScreenshotDetail(
  db: Queryable,
  query: ScreenshotQuery,
  place: OrganizationLinks,
): Promise<ScreenshotDetailRecord | undefined> {
  const found = await readScreenshot(db, query);
  if (found === undefined) return undefined;
  const [row] = await withScreenshotHistory(db, [found]);
  return row && screenshotDetailRecord(row, place);
}
