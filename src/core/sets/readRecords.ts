/** Reads one ad or set as its record, a set as the text of it. The API and events use the same functions, so that they cannot differ. */
import type { AdRecord, ScreenshotDetailRecord, ScreenshotRecord } from '../../contract/records.ts';
import type { Queryable } from '../../db/database.ts';
import type { RowQuery } from '../../db/rows.ts';
import type { OrganizationLinks } from '../../domain/addresses.ts';
import { isFailure } from '../../domain/states.ts';
import { adRecord } from '../ads/adJson.ts';
import { readAdRow } from '../ads/readAd.ts';
import { withScreenshotHistory, withSetHistory } from './history.ts';
import { readProvenance, readScreenshot, readScreenshotParts } from './readScreenshots.ts';
import { readCounts, readSetRow } from './readSet.ts';
import { screenshotDetailRecord, screenshotRecord, screenshotSetRecord } from './setJson.ts';

export interface RecordQuery extends RowQuery {
  readonly publicUrl: string;
}

/** @returns undefined if there is no such ad. */
export async function readAdRecord(db: Queryable, query: RecordQuery): Promise<AdRecord | undefined> {
  const row = await readAdRow(db, query);
  return row && adRecord(row, { publicUrl: query.publicUrl, slug: row.slug });
}

/**
 * @returns the record of a set as JSON; undefined if there is no such set. Its rows are read and written in parts, because
 *   the record of 10,000 screenshots has 6 MB, and its rows ten times as much.
 */
export async function readSetText(db: Queryable, query: RecordQuery): Promise<string | undefined> {
  const found = await readSetRow(db, query);
  const [row] = found === undefined ? [] : await withSetHistory(db, [found]);
  if (found === undefined || row === undefined) return undefined;
  const place = { publicUrl: query.publicUrl, slug: found.slug };
  const head = screenshotSetRecord(row, await readCounts(db, row.id), place);
  const texts: string[] = [];
  for await (const part of readScreenshotParts(db, row.id))
    for (const screenshot of part) texts.push(JSON.stringify(screenshotRecord(screenshot, place)));
  return `${JSON.stringify(head).slice(0, -1)},"screenshots":[${texts.join(',')}]}`;
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
  const row = await readWithHistory(db, query);
  return row && screenshotRecord(row, place);
}

async function readWithHistory(db: Queryable, query: ScreenshotQuery) {
  const found = await readScreenshot(db, query);
  return found && (await withScreenshotHistory(db, [found]))[0];
}

/** As {@link readScreenshotRecord}, with the set of the screenshot. */
export async function readScreenshotDetail(
  db: Queryable,
  query: ScreenshotQuery,
  place: OrganizationLinks,
): Promise<ScreenshotDetailRecord | undefined> {
  const row = await readWithHistory(db, query);
  if (row === undefined) return undefined;
  const records = isFailure(row.status) ? await readProvenance(db, [row.id]) : undefined;
  return screenshotDetailRecord(row, records?.get(row.id), place);
}
