/** Locks what a reviewer decides about, and stores reviews. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { Actor } from '../../domain/auditLog.ts';
import type { Decision } from '../../domain/reviews.ts';
import type { ScreenshotStatus, SetStatus } from '../../domain/states.ts';

export interface ReviewedRetake {
  readonly status: SetStatus;
  /** Whether a reviewer decided about the set, or withdrew such a decision. */
  readonly isReviewed: boolean;
  /** Pictures without a decision. */
  readonly open: number;
  readonly approved: number;
}

/** Locks the set. @returns undefined unless it is a retake. */
export async function readReviewedRetake(tx: Queryable, setId: string): Promise<ReviewedRetake | undefined> {
  const { rows } = await sql<Pick<ReviewedRetake, 'status' | 'isReviewed'>>`
    select status, exists (select from reviews where set_id = s.id and screenshot_id is null) as "isReviewed"
    from screenshot_sets s where id = ${setId} and retake_of is not null for update`.execute(tx);
  const [set] = rows;
  if (set === undefined) return undefined;
  const counts = await sql<Pick<ReviewedRetake, 'open' | 'approved'>>`
    select count(*) filter (where decision is null)::integer as open,
      count(*) filter (where decision = 'approved')::integer as approved
    from screenshots where set_id = ${setId} and status = 'uploaded'`.execute(tx);
  const [found] = counts.rows;
  return found && { ...set, ...found };
}

/** A key, a person, or the service itself. */
type Reviewer = Pick<Actor, 'keyId' | 'userId'>;

export interface ScreenshotReview {
  readonly screenshotId: string;
  /** Undefined keeps the present decision. */
  readonly decision?: Decision | undefined;
  /** Undefined keeps the present comment; a blank one removes it. */
  readonly comment?: string | undefined;
  /** The review that the reviewer knows. It is not replaced if another one has followed. */
  readonly expected?: ExpectedReview | undefined;
}

export interface ExpectedReview {
  readonly decision?: Decision | undefined;
  /** '' for none. */
  readonly comment?: string | undefined;
}

export interface ScreenshotToReview {
  readonly id: string;
  readonly set_id: string;
  readonly status: ScreenshotStatus;
  readonly decision: 'approved' | 'rejected' | null;
}

/**
 * Locks screenshots of the organization. @param setId only those of this set and of its retakes.
 * @param ids unless given: all screenshots of the set with a picture.
 */
export async function lockScreenshotsToReview(
  tx: Queryable,
  { organizationId, setId, ids }: { organizationId: string; setId?: string | undefined; ids?: readonly string[] },
): Promise<ScreenshotToReview[]> {
  const family = sql`coalesce(t.original_id, t.id) = (
    select coalesce(original_id, id) from screenshot_sets where id = ${setId ?? null}::uuid)`;
  const isOfSet = ids === undefined ? sql`t.id = ${setId ?? null}::uuid and s.status = 'uploaded'` : family;
  const { rows } = await sql<ScreenshotToReview>`
    select s.id, s.set_id, s.status, s.decision from screenshots s join screenshot_sets t on t.id = s.set_id
    where t.organization_id = ${organizationId}
      and ${ids === undefined ? sql`true` : sql`s.id = any(${ids}::uuid[])`}
      and ${setId === undefined ? sql`true` : isOfSet}
    order by s.id for update of s`.execute(tx);
  return rows;
}

/** @returns the screenshots that have the picture of one of these, because they are of the same group, and of which one. */
export async function findSharers(
  db: Queryable,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly of: string }[]> {
  const { rows } = await sql<{ id: string; of: string }>`
    select o.id, s.id as of from screenshots s join images i on i.token = s.image_token
    join screenshots o on o.set_id = s.set_id and o.site_key = s.site_key and o.device = s.device and o.id <> s.id
      and o.options->>'group' = s.options->>'group'
    join images p on p.token = o.image_token and p.sha256 = i.sha256
    where s.id = any(${ids}::uuid[])`.execute(db);
  return rows;
}

/** How long a person can take a decision back without opening the picture again. */
const UNDO_MINUTES = 10;

interface ActionRef {
  readonly organizationId: string;
  readonly by: Reviewer;
  /** The id of one of its reviews. */
  readonly reviewId: string;
}

/** The review before an action about a screenshot. Without a screenshot: about the set, which the action decided. */
export interface UndoableReview {
  readonly setId: string;
  readonly screenshotId: string | null;
  readonly decision: Decision;
  readonly comment: string;
}

/** @returns the reviews of a recent action of this key or person that no newer review followed. */
export async function readUndoableReviews(
  tx: Queryable,
  { organizationId, by, reviewId }: ActionRef,
): Promise<UndoableReview[]> {
  const isOwn = by.userId === null ? sql`r.key_id = ${by.keyId}` : sql`r.user_id = ${by.userId}`;
  // The reviews of one action have the time of its transaction. They are about one set and its retakes.
  const { rows } = await sql<UndoableReview>`
    with action as (
      select r.id, r.created_at, coalesce(t.original_id, t.id) as root
      from reviews r join screenshot_sets t on t.id = r.set_id
      where r.id = ${reviewId}::bigint and t.organization_id = ${organizationId} and ${isOwn}
        and r.created_at > now() - make_interval(mins => ${UNDO_MINUTES}))
    select r.set_id as "setId", r.screenshot_id as "screenshotId", coalesce(p.decision, 'none') as decision,
      coalesce(p.comment, '') as comment
    from action join screenshot_sets t on t.id = action.root or t.original_id = action.root
    join reviews r on r.set_id = t.id and r.created_at = action.created_at and ${isOwn}
    left join lateral (
      select decision, comment from reviews where screenshot_id = r.screenshot_id and id < r.id
      order by id desc limit 1) p on true
    where (r.screenshot_id is not null or r.id = action.id or not exists (
        select from reviews p where p.set_id = r.set_id and p.created_at = r.created_at and p.screenshot_id is not null))
      and not exists (
      select from reviews n
      where n.set_id = r.set_id and n.screenshot_id is not distinct from r.screenshot_id and n.id > r.id)`.execute(tx);
  return rows;
}

/**
 * Adds reviews to the history of locked screenshots, and stores their decisions.
 * @returns the id of the last review; null without reviews.
 */
export async function storeReviews(
  tx: Queryable,
  reviews: readonly ScreenshotReview[],
  by: Reviewer,
): Promise<string | null> {
  const ids = reviews.map(({ screenshotId }) => screenshotId);
  const decisions = reviews.map(({ decision }) => decision ?? null);
  const comments = reviews.map(({ comment }) => comment?.trim() ?? null);
  const { rows } = await sql<{ id: string | null }>`
    with given as (
      select * from unnest(${ids}::uuid[], ${decisions}::text[], ${comments}::text[]) as g (id, decision, comment)
    ),
    stored as (
      insert into reviews (set_id, screenshot_id, decision, comment, key_id, user_id)
      select s.set_id, s.id, coalesce(g.decision, s.decision, 'none'),
        case when g.comment is null then last.comment else nullif(g.comment, '') end, ${by.keyId}, ${by.userId}::uuid
      from given g join screenshots s on s.id = g.id
      left join lateral (select comment from reviews where screenshot_id = s.id order by id desc limit 1) last on true
      returning id
    ),
    decided as (
      update screenshots s set decision = nullif(g.decision, 'none')
      from given g where s.id = g.id and g.decision is not null
    )
    select max(id) as id from stored`.execute(tx);
  return rows[0]?.id ?? null;
}
