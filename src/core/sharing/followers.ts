/** Clients who want e-mails about a share link. An address is confirmed by the first mail to it. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { FOLLOWERS_OF_LINK_MAX, FOLLOWS_PER_DAY_MAX } from '../../domain/shareLinks.ts';
import type { Language } from '../../domain/texts/languages.ts';

/**
 * Asks the owner of the address, at most once a day for each link, and only a few times a day in all. So nobody can use the
 * form to send mails to strangers. Does nothing above a limit. The caller holds the lock of the link.
 */
export async function followShare(tx: Queryable, shareId: string, given: string): Promise<void> {
  const email = given.trim().toLowerCase();
  await sql`
    insert into share_followers as f (share_id, email)
    select ${shareId}::uuid, ${email}
    where (select sends_mail from installation)
      and ((select count(*) from share_followers where share_id = ${shareId}::uuid) < ${FOLLOWERS_OF_LINK_MAX}
        or exists (select from share_followers where share_id = ${shareId}::uuid and email = ${email}))
      and (select count(*) from share_followers where email = ${email} and asked_at > now() - interval '1 day') < ${FOLLOWS_PER_DAY_MAX}
    on conflict (share_id, email) do update set asked_at = now(), told_at = null, next_attempt_at = now(), attempts = 0
      where f.confirmed_at is null and f.asked_at <= now() - interval '1 day'`.execute(tx);
}

/** @returns the language of the organization; undefined if the address was removed. */
export async function readFollowerLanguage(db: Queryable, id: string): Promise<Language | undefined> {
  const { rows } = await sql<{ language: Language }>`select o.language from share_followers f
    join share_links l on l.id = f.share_id join organizations o on o.id = l.organization_id
    where f.id = ${id}::uuid`.execute(db);
  return rows[0]?.language;
}

/** The address gets news from now on. */
export async function confirmFollower(db: Queryable, id: string): Promise<void> {
  await sql`update share_followers set confirmed_at = now(), told_at = now()
    where id = ${id}::uuid and confirmed_at is null`.execute(db);
}

/** The row stays as long as the link, so that others cannot ask this address again and again. */
export async function stopFollower(db: Queryable, id: string): Promise<void> {
  await sql`update share_followers set confirmed_at = null, asked_at = now(), told_at = now()
    where id = ${id}::uuid`.execute(db);
}

/** A follower who is due, and the link. */
export interface DueFollower {
  readonly id: string;
  readonly email: string;
  readonly confirmed_at: Date | null;
  readonly told_at: Date | null;
  readonly attempts: number;
  readonly share_id: string;
  readonly set_id: string | null;
  readonly campaign_id: string | null;
  readonly pictures: 'all' | 'approved';
  readonly screenshot_ids: string[] | null;
  readonly organization_id: string;
  readonly slug: string;
  readonly campaign: string;
  readonly language: Language;
  /** News until this time belong into the mail. */
  readonly until: Date;
}

const ATTEMPTS_MAX = 10;
/** Seconds that a mail waits for further news, and in which a transaction that began earlier may still store some. */
const [QUIET_SECONDS, LATE_SECONDS] = [60, 5];

/** Replies to threads of the link `l` that the follower `f` did not write. */
const REPLIES = sql`comments c join comments t on t.id = c.thread_id
  where t.share_id = l.id and c.created_at > f.told_at and lower(c.client_email) is distinct from f.email`;
/** Rounds of the set of the link `l` that were approved, or sets and rounds of its campaign. */
const ROUNDS = sql`screenshot_sets r
  where (r.original_id = (select coalesce(o.original_id, o.id) from screenshot_sets o where o.id = l.set_id)
    or r.campaign_id = l.campaign_id) and r.approved_at > f.told_at`;

/** Claims followers for whom there is a mail. Without {@link noteSent}, they are due again after a while. */
export async function claimFollowers(db: Queryable, most: number): Promise<DueFollower[]> {
  const { rows } = await sql<DueFollower>`
    with due as (
      select f.id, l.set_id, l.campaign_id, l.pictures, l.screenshot_ids, l.organization_id, org.slug, org.language, campaign.name as campaign
      from share_followers f join share_links l on l.id = f.share_id and l.revoked_at is null and l.expires_at > now()
      join organizations org on org.id = l.organization_id and org.disabled_at is null
      left join screenshot_sets s on s.id = l.set_id
      join campaigns campaign on campaign.id = coalesce(l.campaign_id, s.campaign_id)
      where f.next_attempt_at <= now() and f.attempts < ${ATTEMPTS_MAX} and (f.told_at is null or f.confirmed_at is not null and (
        exists (select from ${REPLIES} and c.created_at < now() - make_interval(secs => ${QUIET_SECONDS}))
        or exists (select from ${ROUNDS} and r.approved_at < now() - make_interval(secs => ${QUIET_SECONDS}))))
      order by f.next_attempt_at limit ${most} for update of f skip locked
    )
    update share_followers f set attempts = attempts + 1, next_attempt_at = now() + make_interval(mins => least(2 ^ (attempts + 2), 1440)::integer)
    from due where due.id = f.id
    returning f.*, due.*, now() - make_interval(secs => ${LATE_SECONDS}) as until`.execute(db);
  return rows;
}

/** After a mail was sent, or when it never can be. */
export async function noteSent(db: Queryable, { id, until }: DueFollower): Promise<void> {
  await sql`update share_followers set told_at = ${until}, attempts = 0, next_attempt_at = now() where id = ${id}::uuid`.execute(
    db,
  );
}

export interface Reply {
  readonly body: string;
  /** The client who wrote it; null: the organization. */
  readonly client_name: string | null;
  readonly site_url: string | null;
  readonly device: string | null;
  /** The token of the picture of the thread. */
  readonly token: string | null;
}

/** The first replies that the follower does not know, and the ids of the rounds. */
export async function readNews(
  db: Queryable,
  { id, until }: DueFollower,
): Promise<{ replies: Reply[]; rounds: string[] }> {
  const { rows } = await sql<{ replies: Reply[]; rounds: string[] }>`
    select coalesce((select jsonb_agg(reply order by reply.created_at) from (
        select c.body, c.client_name, c.created_at, p.site_url, p.device, p.image_token as token
        from comments c join comments t on t.id = c.thread_id left join screenshots p on p.id = t.screenshot_id
        where t.share_id = l.id and c.created_at > f.told_at and c.created_at <= ${until}
          and lower(c.client_email) is distinct from f.email order by c.created_at limit 20) reply), '[]') as replies,
      coalesce((select jsonb_agg(r.id) from ${ROUNDS} and r.approved_at <= ${until}), '[]') as rounds
    from share_followers f join share_links l on l.id = f.share_id where f.id = ${id}::uuid`.execute(db);
  return rows[0] ?? { replies: [], rounds: [] };
}
