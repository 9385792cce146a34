/** Deletes rows that are older than `domain/retention.ts` says. Rows that another process has locked stay for the next call. */
import { type RawBuilder, sql } from 'kysely';
import type { Database, Queryable } from '../../db/database.ts';
import { ANSWER_DAYS, EVENT_DAYS, FOLLOWER_DAYS, JOB_DAYS, UPLOAD_DAYS } from '../../domain/retention.ts';

const olderThan = (days: number) => sql`now() - make_interval(days => ${days})`;

/** @returns a function that deletes rows of the table `t` that meet the condition, the oldest by `column` first. */
const rowsOf =
  (table: string, condition: RawBuilder<unknown>, column?: string) =>
  async (db: Queryable, most: number): Promise<number> => {
    const oldest = column === undefined ? sql`` : sql`order by ${sql.ref(column)}`;
    const { numAffectedRows } = await sql`delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} t where ${condition} ${oldest} limit ${most} for update skip locked))`.execute(
      db,
    );
    return Number(numAffectedRows);
  };

/** Each deletes some old rows, at most `most`. @returns how many. */
export const OLD_ROWS = {
  event: deleteOldEvents,
  draft: deleteOldDrafts,
  request_draft: rowsOf('drafts', sql`updated_at < ${olderThan(UPLOAD_DAYS)}`, 'updated_at'),
  // The version before writes these.
  earlier_request_draft: rowsOf('request_drafts', sql`updated_at < ${olderThan(UPLOAD_DAYS)}`, 'updated_at'),
  upload: rowsOf('uploads', sql`expires_at <= now()`, 'expires_at'),
  stored_answer: rowsOf('idempotency_keys', sql`created_at <= ${olderThan(ANSWER_DAYS)}`, 'created_at'),
  // Receivers of test events, whose events were deleted.
  test_receiver: rowsOf(
    'subscribers',
    sql`ad_id is null and set_id is null and not exists (select from webhook_endpoints w where w.id = t.id)
      and not exists (select from deliveries d where d.subscriber_id = t.id)`,
  ),
  placement: rowsOf('placements', sql`status <> 'pending' and expires_at <= now()`, 'expires_at'),
  // Jobs of removed sets, and of placements. The condition on the name is that of the index.
  job: rowsOf('screenshot_jobs', sql`set_id is null and name not like 'ads-%' and settled_at < ${olderThan(JOB_DAYS)}`),
  // The others go with their sets.
  schedule_run: rowsOf('schedule_runs', sql`set_id is null and ran_at < ${olderThan(EVENT_DAYS)}`),
  // A link may be extended or restored for some time.
  share_follower: rowsOf(
    'share_followers',
    sql`(confirmed_at is null and asked_at < ${olderThan(FOLLOWER_DAYS)}) or exists (select from share_links l
      where l.id = t.share_id and (l.revoked_at < now() - interval '1 hour' or l.expires_at < ${olderThan(FOLLOWER_DAYS)}))`,
  ),
  user: deleteUnusedUsers,
  export: expireExports,
} as const satisfies Record<string, (db: Database, most: number) => Promise<number>>;

/**
 * Deletes events with their deliveries, unless one of these waits. A replay locks its events first, so the second statement
 * sees the deliveries that it restarted.
 */
function deleteOldEvents(db: Database, most: number): Promise<number> {
  const isUnused = sql`not exists (select from deliveries d where d.event_id = e.id and d.status = 'pending')`;
  return deleteLocked(db, {
    wanted: sql`select e.id from events e where e.created_at < ${olderThan(EVENT_DAYS)} and ${isUnused}
      order by e.created_at limit ${most} for update of e skip locked`,
    deletion: (ids) => sql`delete from events e where e.id = any(${ids}::uuid[]) and ${isUnused}`,
  });
}

/** Deletes ads of the page of a new request that no set shows. A request may have used one before it was locked. */
function deleteOldDrafts(db: Database, most: number): Promise<number> {
  const isUnused = sql`not exists (select from screenshots s where s.ad_id = a.id)`;
  return deleteLocked(db, {
    wanted: sql`select a.id from ads a where a.source = 'draft' and a.created_at < ${olderThan(UPLOAD_DAYS)}
      and a.status <> 'pending' and ${isUnused} order by a.created_at limit ${most} for update of a skip locked`,
    deletion: (ids) => sql`delete from ads a where a.id = any(${ids}::uuid[]) and a.source = 'draft' and ${isUnused}`,
  });
}

/** Deletes people who are in no organization and signed in nowhere, once no review, comment, link or key names them. */
function deleteUnusedUsers(db: Database, most: number): Promise<number> {
  const isUnused = sql`not exists (select from memberships where user_id = u.id)
    and not exists (select from user_sessions where user_id = u.id and expires_at > now())
    and not exists (select from reviews where user_id = u.id)
    and not exists (select from comments where user_id = u.id)
    and not exists (select from comments where resolved_by_user = u.id)
    and not exists (select from share_links where created_by_user = u.id)
    and not exists (select from api_keys where created_by_user = u.id)`;
  return deleteLocked(db, {
    wanted: sql`select u.id from users u where ${isUnused} limit ${most} for update of u skip locked`,
    deletion: (ids) => sql`delete from users u where u.id = any(${ids}::uuid[]) and ${isUnused}`,
  });
}

interface LockedDeletion {
  readonly wanted: RawBuilder<{ id: string }>;
  readonly deletion: (ids: readonly string[]) => RawBuilder<unknown>;
}

function deleteLocked(db: Database, { wanted, deletion }: LockedDeletion): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await wanted.execute(tx);
    if (rows.length === 0) return 0;
    const { numAffectedRows } = await deletion(rows.map(({ id }) => id)).execute(tx);
    return Number(numAffectedRows);
  });
}

/** The files of expired exports are not served from then on, and a trigger notes them. Their rows stay with their sets. */
async function expireExports(db: Queryable, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update exports set status = 'expired' where id = any(array(
      select id from exports where status = 'ready' and expires_at <= now() limit ${most} for update skip locked))`.execute(
    db,
  );
  return Number(numAffectedRows);
}
