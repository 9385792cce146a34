/** Reads the screenshots of sets. */
import { type NotNull, type RawBuilder, sql } from 'kysely';
import { isInRange } from '../../db/conditions.ts';
import type { Queryable } from '../../db/database.ts';
import { type ListPage, type Page, readListPage } from '../../db/list.ts';
import { type AdRow, type ObjectRef, type Row, SCREENSHOT_COLUMNS, type ScreenshotRow } from '../../db/rows.ts';
import { GOES_IN_SCALED } from '../../domain/adFit.ts';
import { readAds } from '../ads/readAd.ts';
import { type History, withScreenshotHistory } from './history.ts';

interface ApprovedFilter {
  readonly organizationId: string;
  /** The range of approval times, both ends included. */
  readonly from: Date;
  readonly to: Date;
  readonly order: 'asc' | 'desc';
  /** With the content of the ads' media. */
  readonly creative: boolean;
  /** Only screenshots behind this place in the list. */
  readonly after?: ApprovedPlace | undefined;
}

export interface ApprovedRow extends ScreenshotRow, History {
  readonly set_id: string;
  readonly approved_at: Date;
  readonly ad: AdRow & Partial<Pick<Row<'ads'>, 'content'>>;
}

/** A row's position in the list. */
interface ApprovedPlace {
  /** The text of the time. */
  readonly approvedAt: string;
  readonly setId: string;
  readonly seq: number;
}

interface ScreenshotRef {
  readonly organizationId: string;
  readonly screenshotId: string;
}

/** The columns of a {@link ScreenshotRow}. The query joins `images`. */
const COLUMNS = [
  ...SCREENSHOT_COLUMNS,
  'images.width as image_width',
  'images.height as image_height',
  'images.sha256 as image_sha256',
  sql<string | null>`screenshots.options->>'group'`.as('group_name'),
] as const;

/** The screenshots of a set in the order of the request. An ad is read once, however many pictures show it. */
export async function readScreenshots(db: Queryable, setId: string): Promise<ScreenshotRow[]> {
  return withAds(db, await ofSet(db, setId).execute());
}

/** Rows of a set that are in memory at once. */
const PART = 1_000;

/** The same with reviews and retakes, in parts: all rows of a large set would fill the memory and hold other requests. */
export async function* readScreenshotParts(db: Queryable, setId: string): AsyncGenerator<(ScreenshotRow & History)[]> {
  for (let after: number | undefined = -1; after !== undefined; ) {
    const rows = await readPart(db, setId, after);
    yield await withScreenshotHistory(db, await withAds(db, rows));
    after = rows.length < PART ? undefined : rows.at(-1)?.seq;
  }
}

const readPart = (db: Queryable, setId: string, after: number) =>
  ofSet(db, setId).select('screenshots.seq').where('screenshots.seq', '>', after).limit(PART).execute();

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
    .select(COLUMNS)
    .where('screenshots.set_id', '=', setId)
    .orderBy('screenshots.seq');

async function withAds<R extends { readonly ad_id: string }>(
  db: Queryable,
  rows: readonly R[],
  withContent = false,
): Promise<(R & Pick<ApprovedRow, 'ad'>)[]> {
  const ads = await readAds(db, [...new Set(rows.map((row) => row.ad_id))], { withContent });
  return rows.map((row) => {
    const ad = ads.get(row.ad_id);
    if (ad === undefined) throw new Error(`Ad ${row.ad_id} of a screenshot is not in the database.`);
    return { ...row, ad };
  });
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

/** Facts about the slots of a page on which none took the ad. */
export interface NoSlotFacts {
  /** The sizes of the slots, for example "300×250", largest first. */
  readonly sizes: readonly string[];
  /** Whether a slot takes the ad if it may be scaled down, which the screenshot did not allow. */
  readonly mayScale: boolean;
  /** Whether other ads were hidden. Their places may be slots. */
  readonly hidesAds: boolean;
}

/** By id. An ad that is wider than the screen also fits if it may be scaled, because the device then shows more of the page. */
export async function readNoSlotFacts(db: Queryable, ids: readonly string[]): Promise<Map<string, NoSlotFacts>> {
  const { rows } = await sql<NoSlotFacts & { id: string }>`
    select s.id, array(
        select size from (
          select distinct (c->'size'->>0) || '×' || (c->'size'->>1) as size,
            (c->'size'->>0)::numeric * (c->'size'->>1)::numeric as area
          from jsonb_path_query(s.record, '$.candidates[*] ? (@.size.type() == "array")') c
        ) found order by area desc) as sizes,
      not coalesce((s.options->>'allow_scaling')::boolean, false) and (
        exists (select from jsonb_path_query(s.record, '$.candidates[*].problem') problem
          where problem #>> '{}' like ${`% ${GOES_IN_SCALED} %`})
        or coalesce(wide[1]::int > wide[2]::int, false)) as "mayScale",
      coalesce(s.options->>'other_ads', 'hide') = 'hide' as "hidesAds"
    from screenshots s
    cross join lateral regexp_match(s.reason, 'the ad of (\\d+)×\\d+ is larger than the screen of (\\d+)×') wide
    where s.id = any(${[...ids]}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, ...found }) => [id, found]));
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

/** Locks a screenshot of this organization until the transaction ends. */
export async function lockScreenshot(
  transaction: Queryable,
  { organizationId, screenshotId }: ScreenshotRef,
): Promise<Pick<Row<'screenshots'>, 'set_id'> | undefined> {
  return transaction
    .selectFrom('screenshots as s')
    .innerJoin('screenshot_sets as t', 't.id', 's.set_id')
    .select('s.set_id')
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
    .select(COLUMNS)
    .select(['screenshots.set_id', 'screenshot_sets.approved_at'])
    .where('screenshots.id', '=', screenshotId)
    .where('screenshot_sets.organization_id', '=', organizationId)
    .executeTakeFirst();
  return row && (await withAds(db, [row]))[0];
}

/** The pictures of approved sets, by the time of approval. Those that failed or that a reviewer rejected are not among them. */
export async function listApprovedScreenshots(
  db: Queryable,
  filter: ApprovedFilter,
  page: Page,
): Promise<ListPage<ApprovedRow>> {
  const matching = db
    .selectFrom('screenshots')
    .innerJoin('screenshot_sets', 'screenshot_sets.id', 'screenshots.set_id')
    .where('screenshot_sets.organization_id', '=', filter.organizationId)
    .where('screenshot_sets.status', '=', 'approved')
    .where(isInRange(sql`screenshot_sets.approved_at`, filter))
    .where('screenshots.status', '=', 'uploaded')
    .where(sql<boolean>`screenshots.decision is distinct from 'rejected'`)
    .where(isAfterPlace(filter.order, filter.after));
  const ordered = matching
    .leftJoin('images', 'images.token', 'screenshots.image_token')
    .select([...COLUMNS, 'screenshots.set_id', 'screenshot_sets.approved_at'])
    .$narrowType<{ approved_at: NotNull }>()
    .orderBy('screenshot_sets.approved_at', filter.order)
    .orderBy('screenshots.set_id')
    .orderBy('screenshots.seq');
  const { rows, total } = await readListPage(db, ordered, page);
  return { rows: await withScreenshotHistory(db, await withAds(db, rows, filter.creative)), total };
}

/** The first condition lets an index find the place. */
function isAfterPlace(order: ApprovedFilter['order'], place: ApprovedPlace | undefined): RawBuilder<boolean> {
  if (place === undefined) return sql<boolean>`true`;
  const [column, time] = [sql`screenshot_sets.approved_at`, sql`${place.approvedAt}::timestamptz`];
  const [near, beyond] = order === 'desc' ? [sql`<=`, sql`<`] : [sql`>=`, sql`>`];
  const target = sql`(${place.setId}::uuid, ${place.seq}::integer)`;
  return sql<boolean>`${column} ${near} ${time}
    and (${column} ${beyond} ${time} or (screenshots.set_id, screenshots.seq) > ${target})`;
}

/** @returns undefined if the organization has no such screenshot in an approved set. */
export async function findApprovedPlace(
  db: Queryable,
  { id, organizationId }: ObjectRef,
): Promise<ApprovedPlace | undefined> {
  const { rows } = await sql<ApprovedPlace>`
    select t.approved_at::text as "approvedAt", t.id as "setId", p.seq
    from screenshots p join screenshot_sets t on t.id = p.set_id
    where p.id = ${id}::uuid and t.organization_id = ${organizationId}::uuid and t.approved_at is not null`.execute(db);
  return rows[0];
}
