/** Reads the screenshots of sets. */

import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import type { AdRow, Row, ScreenshotRow } from '../../db/rows.ts';
import { readAds } from '../ads/readAd.ts';
import { type History, withScreenshotHistory } from '../reviews/reviewQueries.ts';

/** The columns of a {@link ScreenshotRow}. The query joins `images`. */
export const SCREENSHOT_COLUMNS = [
  'screenshots.id',
  'screenshots.ad_id',
  'screenshots.status',
  'screenshots.reason',
  'screenshots.site_url',
  'screenshots.device',
  'screenshots.marker_ms',
  'screenshots.image_token',
  'screenshots.captured_at',
  'screenshots.warnings',
  'images.width as image_width',
  'images.height as image_height',
] as const;

/** The screenshots of a set in the order of the request. An ad is read once, however many pictures show it. */
export async function readScreenshots(db: Queryable, setId: string): Promise<ScreenshotRow[]> {
  return withAds(db, await ofSet(db, setId).execute());
}

/** A page of the same list, with reviews and retakes. @param after the place of the last screenshot before the page. */
export async function listScreenshotsOfSet(
  db: Queryable,
  { setId, after = -1 }: { readonly setId: string; readonly after?: number | undefined },
  page: Page,
): Promise<ListPage<ScreenshotRow & History>> {
  const { rows, total } = await readListPage(db, ofSet(db, setId).where('screenshots.seq', '>', after), page);
  return { rows: await withScreenshotHistory(db, await withAds(db, rows)), total };
}

/** @returns the place of a screenshot in its set; undefined if it is not one of the set. */
export async function findPlaceInSet(
  db: Queryable,
  { setId, id }: { readonly setId: string; readonly id: string },
): Promise<number | undefined> {
  const found = db.selectFrom('screenshots').select('seq').where('set_id', '=', setId).where('id', '=', id);
  return (await found.executeTakeFirst())?.seq;
}

const ofSet = (db: Queryable, setId: string) =>
  db
    .selectFrom('screenshots')
    .leftJoin('images', 'images.token', 'screenshots.image_token')
    .select(SCREENSHOT_COLUMNS)
    .where('screenshots.set_id', '=', setId)
    .orderBy('screenshots.seq');

async function withAds<R extends { readonly ad_id: string }>(
  db: Queryable,
  rows: readonly R[],
): Promise<(R & { readonly ad: AdRow })[]> {
  const ads = await readAds(db, [...new Set(rows.map((row) => row.ad_id))]);
  return rows.map((row) => ({ ...row, ad: required(ads, row.ad_id) }));
}

function required(ads: ReadonlyMap<string, AdRow>, id: string): AdRow {
  const ad = ads.get(id);
  if (ad === undefined) throw new Error(`Ad ${id} of a screenshot is not in the database.`);
  return ad;
}

/** The provenance records of these screenshots, by id. */
export async function readProvenance(db: Queryable, ids: readonly string[]): Promise<Map<string, object>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('screenshots')
    .select(['id', 'record'])
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .where('record', 'is not', null)
    .execute();
  return new Map(rows.flatMap(({ id, record }) => (record === null ? [] : [[id, record] as const])));
}

/** The decisions of reviewers about these screenshots, by id. */
export async function readDecisions(
  db: Queryable,
  ids: readonly string[],
): Promise<Map<string, NonNullable<Row<'screenshots'>['decision']>>> {
  const rows = await db
    .selectFrom('screenshots')
    .select(['id', 'decision'])
    .where(sql<boolean>`id = any(${[...ids]}::uuid[])`)
    .where('decision', 'is not', null)
    .execute();
  return new Map(rows.flatMap(({ id, decision }) => (decision === null ? [] : [[id, decision] as const])));
}
