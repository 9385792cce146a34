/** The pictures that a share link shows. PostgreSQL orders and counts them, so that a page of a large set reads only its own. */
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { Row } from '../../db/rows.ts';
import type { StoredAnimation } from '../../domain/animations.ts';
import type { DeviceName } from '../../domain/devices.ts';
import { AD_NAMES, type Owner, ownerColumns, ownerOf, setsOf, shownVersions } from '../sets/shownVersions.ts';
import { type AnswerRow, latestAnswers } from './answerQueries.ts';

/** The set or the campaign of a link, and which of its pictures it shows. */
export type Shown = Pick<Row<'share_links'>, 'set_id' | 'campaign_id' | 'pictures' | 'screenshot_ids'>;

export interface SharedRow {
  /** The version that the link shows. */
  readonly id: string;
  readonly set_id: string;
  /** The set whose picture it is, also if the version is a retake. */
  readonly own_set: string;
  readonly site_url: string;
  readonly device: DeviceName;
  readonly marker_ms: number | null;
  readonly captured_at: Date | null;
  readonly image_token: string;
  readonly image_width: number;
  readonly image_height: number;
  readonly animation: StoredAnimation | null;
  readonly ad: Pick<Row<'ads'>, 'id' | 'name' | 'width' | 'height'>;
  /** Its place among the pictures of the link, from 1. */
  readonly place: number;
}

/** A picture as a link shows it. */
export interface SharedPicture extends SharedRow {
  /** The newest answer, if it came through this link. */
  readonly answer: AnswerRow | undefined;
  /** Whether it is a retake that nobody answered through this link. */
  readonly isNew: boolean;
}

/** All pictures of a link together, for the head of its page. */
export interface SharedSummary {
  readonly pictures: number;
  readonly sets: number;
  /** Whether more pictures are being taken. */
  readonly isLive: boolean;
  /** The number of hosts. */
  readonly sites: number;
  /** In the order of the page. */
  readonly devices: readonly string[];
  /** The sizes of the ads in CSS pixels, in the order of the page. */
  readonly sizes: readonly (readonly [width: number, height: number])[];
  readonly from: Date | null;
  readonly to: Date | null;
  /** Pictures by their newest answer, if it came through the link. */
  readonly approved: number;
  readonly changes: number;
  /** Pictures that have no answer through the link. */
  readonly unanswered: number;
  /** Retakes among them. */
  readonly renewed: number;
}

/** The summary names no more devices and sizes. */
const MOST_NAMED = 20;
/** Pictures to compare with. A longer list would be of no use. */
const MOST_LIKE = 60;

/**
 * The query `pictures`, by set, site, ad, device and marker. Sites, ads and devices keep the order of their first picture.
 */
function sharedPictures({ pictures, screenshot_ids: ids, ...link }: Shown): RawBuilder<unknown> {
  return sql`${shownVersions(ownerOf(link), { isShared: true, approvedOnly: pictures === 'approved', ids })},
    ranked as (
      select *, min(own_seq) over (partition by own_set, site_url collate "C") as site_at,
        min(own_seq) over (partition by own_set, ad_id) as ad_at, min(own_seq) over (partition by own_set, device collate "C") as device_at
      from shown
      where status = 'uploaded' and image_token is not null
    ),
    pictures as (
      select *, row_number() over (order by site_at, ad_at, device_at, marker_ms nulls first, own_seq)::integer as place
      from ranked
    )`;
}

type Link = Shown & { readonly id: string };

/** Whether a picture `p` has no answer through the link. A later answer through another link hides one from the page. */
export const isUnanswered = ({ id }: Link) => sql`not exists (select from share_answers a
  where a.share_id = ${id}::uuid and (a.screenshot_id = p.id
    or a.id = (select answer_id from latest_answers where screenshot_id = p.id)))`;

export async function readSharedSummary(db: Queryable, link: Link): Promise<SharedSummary> {
  const { rows } = await sql<SharedSummary>`
    with ${sharedPictures(link)}, answers as (
      select a.answer from pictures p join latest_answers l on l.screenshot_id = p.id
      join share_answers a on a.id = l.answer_id and a.share_id = ${link.id}::uuid
    )
    select (select count(*) from answers where answer = 'approved')::integer as approved,
      (select count(*) from answers where answer = 'changes_requested')::integer as changes,
      (select count(*) from pictures p where ${isUnanswered(link)})::integer as unanswered,
      (select count(*) from pictures p where p.id <> p.own_id and ${isUnanswered(link)})::integer as renewed,
      (select coalesce(bool_or(status in ('draft', 'capturing')), false) from own) as "isLive",
      count(*)::integer as pictures, count(distinct own_set)::integer as sets, count(distinct substring(site_key from '//([^/]*)'))::integer as sites,
      min(captured_at) as from, max(captured_at) as to,
      coalesce((select jsonb_agg(device order by place) from (
        select device, min(place) as place from pictures group by device order by 2 limit ${MOST_NAMED}) d), '[]') as devices,
      coalesce((select jsonb_agg(jsonb_build_array(width, height) order by place) from (
        select a.width, a.height, min(p.place) as place from pictures p join ads a on a.id = any(p.ad_ids)
        where a.width is not null group by 1, 2 order by 3 limit ${MOST_NAMED}) s), '[]') as sizes
    from pictures`.execute(db);
  const [summary] = rows;
  if (summary === undefined) throw new Error('unreachable: PostgreSQL counted nothing');
  return summary;
}

/** How many pictures a link to all pictures shows, and how many of them one to approved pictures shows. */
export async function countShared(
  db: Queryable,
  owner: Owner,
  ids?: readonly string[],
): Promise<{ pictures: number; approved: number }> {
  const shown = { ...ownerColumns(owner), pictures: 'all' as const, screenshot_ids: ids?.slice() ?? null };
  const { rows } = await sql<{ pictures: number; approved: number }>`
    with ${sharedPictures(shown)} select count(*)::integer as pictures,
      (count(*) filter (where decision = 'approved' or set_status = 'approved'))::integer as approved
    from pictures`.execute(db);
  return rows[0] ?? { pictures: 0, approved: 0 };
}

export type SharedId = Pick<SharedRow, 'id' | 'set_id' | 'own_set' | 'image_token'>;

/** The ids of the shown versions, with their sets and those whose pictures they are; the oldest set first. @param where about `p`. */
export async function readSharedIds(db: Queryable, shown: Shown, where = sql`true`): Promise<SharedId[]> {
  const { rows } = await sql<SharedId>`
    with ${sharedPictures(shown)}
    select id, set_id, own_set, image_token from pictures p where ${where} order by own_seq`.execute(db);
  return rows;
}

/** One page of the pictures. */
export async function readSharedPage(
  db: Queryable,
  link: Link,
  { skip, take }: { readonly skip: number; readonly take: number },
): Promise<SharedPicture[]> {
  return withAnswers(db, link, await readRows(db, link, { where: sql`place > ${skip} and place <= ${skip + take}` }));
}

export interface SharedPlace {
  readonly view: SharedPicture;
  /** The number of pictures that the link shows. */
  readonly total: number;
  readonly previous: SharedRow | undefined;
  readonly next: SharedRow | undefined;
  /** The moments of the same placement, with this one. */
  readonly strip: readonly SharedRow[];
  /** Pictures of the same site or ad, which people compare most; without this one. */
  readonly like: readonly SharedRow[];
  /** The picture that the reader asked to see beside it. */
  readonly other: SharedRow | undefined;
}

/**
 * One picture and those around it.
 * @param picture the token of the picture. @param other that of a second one. @returns undefined if the link shows no such picture.
 */
export async function readSharedPlace(
  db: Queryable,
  link: Link,
  { picture, other = '' }: { readonly picture: string; readonly other?: string },
): Promise<SharedPlace | undefined> {
  const rows = await readRows(db, link, {
    queries: sql`,
      this as (select place, own_set, site_url, device, ad_id from pictures where image_token = ${picture}),
      similar_ones as (
        select p.place from pictures p join this on p.site_url = this.site_url or p.ad_id = this.ad_id
        where p.place <> this.place order by p.place limit ${MOST_LIKE}
      )`,
    where: sql`exists (
      select from this where s.place between this.place - 1 and this.place + 1 or s.image_token = ${other}
        or (s.own_set, s.site_url, s.device, s.ad_id) = (this.own_set, this.site_url, this.device, this.ad_id)
    ) or s.place in (select place from similar_ones)`,
  });
  const found = rows.find(({ image_token }) => image_token === picture);
  const [view] = found === undefined ? [] : await withAnswers(db, link, [found]);
  if (view === undefined) return undefined;
  const others = rows.filter(({ place }) => place !== view.place);
  return {
    view,
    total: rows[0]?.total ?? 0,
    previous: others.find(({ place }) => place === view.place - 1),
    next: others.find(({ place }) => place === view.place + 1),
    strip: rows
      .filter((row) => row.own_set === view.own_set && row.site_url === view.site_url)
      .filter((row) => row.device === view.device && row.ad.id === view.ad.id)
      .map((row) => (row === found ? view : row)),
    like: others.filter((row) => row.site_url === view.site_url || row.ad.id === view.ad.id),
    other: rows.find(({ image_token }) => image_token === other),
  };
}

/** @returns the token of the picture that the link shows now in the place of another version; undefined if it shows none. */
export async function readReplacement(db: Queryable, shown: Shown, ownId: string): Promise<string | undefined> {
  const { rows } = await sql<{ image_token: string }>`
    with ${sharedPictures(shown)} select image_token from pictures where own_id = ${ownId}::uuid`.execute(db);
  return rows[0]?.image_token;
}

/** @returns the own screenshot of which the picture shows a version; undefined if it shows none of them. */
export async function findOwnId(db: Queryable, owner: Owner, picture: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select o.id from screenshots v
    join screenshots o on o.id = coalesce(v.original_id, v.id) or o.original_id = coalesce(v.original_id, v.id)
    where v.image_token = ${picture} and o.set_id in (
      select id from screenshot_sets where ${setsOf(owner)})`.execute(db);
  return rows[0]?.id;
}

async function readRows(
  db: Queryable,
  shown: Shown,
  { queries = sql``, where }: { readonly queries?: RawBuilder<unknown>; readonly where: RawBuilder<unknown> },
): Promise<(SharedRow & { readonly total: number })[]> {
  const { rows } = await sql<SharedRow & { total: number }>`
    with ${sharedPictures(shown)}${queries}
    select s.id, s.set_id, s.own_set, s.site_url, s.device, s.marker_ms, s.captured_at, s.image_token, s.animation, s.place,
      i.width as image_width, i.height as image_height, (select count(*)::integer from pictures) as total,
      jsonb_build_object('id', a.id, 'name', ${AD_NAMES}, 'width', a.width, 'height', a.height) as ad
    from pictures s join images i on i.token = s.image_token join ads a on a.id = s.ad_id
    where ${where}
    order by s.place`.execute(db);
  return rows;
}

async function withAnswers(db: Queryable, { id: linkId }: Link, rows: readonly SharedRow[]): Promise<SharedPicture[]> {
  const ids = rows.map(({ id }) => id);
  const answers = await latestAnswers(db, ids);
  return rows.map((row) => {
    const answer = answers.get(row.id);
    const own = answer?.share_id === linkId ? answer : undefined;
    return { ...row, answer: own, isNew: own === undefined && row.set_id !== row.own_set };
  });
}
