/**
 * Makes mails and messages of the notices that are due: an event for each, with a delivery. One transaction does so and
 * deletes the notices, so a process that is killed loses none and makes none twice.
 */
import { sql } from 'kysely';
import { tryLock } from '../../db/advisoryLocks.ts';
import type { Database, Queryable } from '../../db/database.ts';
import { DAY_HOUR, ITEMS_MAX, PER_HOUR_MAX, REFUSALS_MAX, type Timing } from '../../domain/notices.ts';
import type { Language } from '../../domain/texts/languages.ts';
import { NOTICE_TOPIC, type TEST_TOPIC } from '../../domain/topics.ts';
import { insertEvent } from '../journal/insertEvent.ts';
import { type Happened, type NoticeItem, noticeItems } from './noticeText.ts';

/** `data.object` of the event of a notice. */
export interface NoticeObject {
  readonly type: 'notice';
  /** The slug. */
  readonly organization: string;
  readonly language: Language;
  readonly items: readonly NoticeItem[];
  /** Items that are only counted. */
  readonly more: number;
}

interface Due extends Happened {
  readonly id: string;
  readonly organization_id: string;
  readonly slug: string;
  readonly user_id: string | null;
  readonly chat_id: string | null;
  /** The name of the member or chat. */
  readonly receiver: string;
  readonly language: Language;
  readonly timing: Timing;
  readonly is_deferred: boolean;
  /** Mails or messages to the receiver in the last hour. */
  readonly recent: number;
}

type Receiver = Pick<Due, 'user_id' | 'chat_id' | 'organization_id' | 'slug' | 'receiver' | 'language'>;

/** Receivers of one transaction. */
const TOGETHER = 200;

/** @returns how many mails and messages it made. Only one process does so at a time; the others make none. */
export async function collectNotices(db: Database, publicUrl: string): Promise<number> {
  // Without a transaction, because nothing is due most of the time.
  const { rows } = await sql`select from notices where due_at <= now() limit 1`.execute(db);
  if (rows.length === 0) return 0;
  return db.transaction().execute(async (tx) => {
    if (!(await tryLock(tx, 'notices'))) return 0;
    await waitForDigests(tx);
    const due = await lockDue(tx);
    const { deferred, batches } = planBatches(due);
    for (const batch of batches) await storeBatch(tx, batch, publicUrl);
    await deferNotices(tx, deferred);
    const left = new Set(deferred.map(({ id }) => id));
    const ended = due.filter(({ id }) => !left.has(id)).map(({ id }) => id);
    await sql`delete from notices where id = any(${ended}::uuid[])`.execute(tx);
    return batches.length;
  });
}

/** The notices to look at, with their timing and the time at which they go. People who can get no mails want none. */
const SEEN = sql`
  select n.id, n.organization_id, n.user_id, n.chat_id, chosen.timing, case
      when n.is_deferred then n.due_at
      when chosen.timing = 'day' then (date_trunc('day', n.created_at at time zone zone - make_interval(hours => ${DAY_HOUR}))
        + make_interval(days => 1, hours => ${DAY_HOUR})) at time zone zone
      when chosen.timing = 'hour' then date_trunc('hour', n.created_at) + interval '1 hour'
      else n.due_at end as goes_at
  from notices n
  join organizations o on o.id = n.organization_id
  left join users u on u.id = n.user_id
  left join notice_choices c on c.organization_id = n.organization_id and c.user_id = n.user_id and c.kind = n.kind
  left join notice_addresses a on a.user_id = n.user_id
  cross join lateral (
    select coalesce(a.time_zone, o.time_zone) as zone, case
      when a.refusals >= ${REFUSALS_MAX} and a.refused_email = u.email then 'none'
      else coalesce(c.timing, n.timing) end as timing
  ) chosen
  where n.due_at <= now()`;

/** Those that wait for a digest are not looked at until then. */
async function waitForDigests(tx: Queryable): Promise<void> {
  await sql`update notices n set due_at = seen.goes_at from (${SEEN}) seen
    where seen.id = n.id and seen.goes_at > now() and seen.timing <> 'none'`.execute(tx);
}

/** Changes that a notice names. It counts the others. */
const CHANGES_MAX = 10;

/**
 * The answers of clients since the notice `n` about the set `s` was stored, and their comments without an answer, as changes to
 * no picture. An answer that began a moment earlier may have been stored later. Null unless it is about answers.
 */
const ANSWERS = sql`case when n.kind = 'client_answered' then (
  with newest as (
    select a.*, (select count(*)::integer from latest_answers where answer_id = a.id) as current
    from share_answers a where a.set_id = n.set_id and a.created_at >= n.created_at - interval '5 seconds'
  )
  select jsonb_build_object(
    'approved', coalesce(sum(current) filter (where answer = 'approved'), 0),
    'changed', coalesce(sum(current) filter (where answer = 'changes_requested'), 0),
    'changes', coalesce((select jsonb_agg(to_jsonb(change) - 'created_at' order by change.created_at) from (
      select p.id, p.site_url, p.device, p.image_token as token, m.current as pictures, c.body as text, m.client_name as by,
        m.created_at
      from newest m left join comments c on c.id = m.comment_id left join screenshots p on p.id = m.screenshot_id
      where m.answer = 'changes_requested' and m.current > 0
      union all
      select p.id, p.site_url, p.device, p.image_token, 0, c.body, c.client_name, c.created_at
      from comments c join share_links l on l.id = c.share_id left join screenshots p on p.id = c.screenshot_id
      where (l.set_id = n.set_id or l.campaign_id = s.campaign_id
          and exists (select from screenshot_sets t where t.id = c.set_id and n.set_id in (t.id, t.original_id)))
        and c.created_at >= n.created_at - interval '5 seconds' and c.client_name is not null
        and not exists (select from share_answers where comment_id = c.id)
      order by created_at limit ${CHANGES_MAX}) change), '[]'))
  from newest) end`;

/** The sites and devices of the first pictures of the set, and one of them. */
const ABOUT = sql`case when n.set_id is not null then (
  select jsonb_build_object('sites', coalesce(jsonb_agg(distinct site_url), '[]'),
    'devices', coalesce(jsonb_agg(distinct device), '[]'), 'token', min(image_token))
  from (select site_url, device, image_token from screenshots where set_id = n.set_id order by seq limit 100) first) end`;

/** The newest rejection of a picture since the notice was stored. */
const REJECTED = sql`case when n.kind = 'picture_rejected' then (
  select jsonb_build_object('id', p.id, 'site_url', p.site_url, 'device', p.device, 'token', p.image_token, 'text', r.comment)
  from reviews r join screenshots p on p.id = r.screenshot_id
  where p.set_id = n.set_id and r.decision = 'rejected' and r.created_at >= n.created_at - interval '5 seconds'
  order by r.id desc limit 1) end`;

/** The due notices of some receivers, all of each. */
async function lockDue(tx: Queryable): Promise<Due[]> {
  const { rows } = await sql<Due>`
    with due as (${SEEN}), receivers as (
      select distinct organization_id, user_id, chat_id from due order by 1, 2, 3 limit ${TOGETHER}
    )
    select n.*, due.timing, o.slug, coalesce(u.language, o.language) as language, coalesce(u.name, chat.name) as receiver, coalesce(s.name, campaign.name) as set_name,
      ${ANSWERS} as answers, ${ABOUT} as about, ${REJECTED} as rejected, (
        select count(*)::integer from deliveries d
        where (d.user_id = n.user_id or d.chat_id = n.chat_id) and d.organization_id = n.organization_id
          and d.created_at > now() - interval '1 hour'
      ) as recent
    from receivers r join due on (due.organization_id, due.user_id, due.chat_id)
      is not distinct from (r.organization_id, r.user_id, r.chat_id)
    join notices n on n.id = due.id
    join organizations o on o.id = n.organization_id
    left join users u on u.id = n.user_id
    left join notice_chats chat on chat.id = n.chat_id
    left join screenshot_sets s on s.id = n.set_id
    left join campaigns campaign on campaign.id = s.campaign_id
    order by n.created_at, n.id
    -- A notice that counts one more at this moment is due in the next round.
    for update of n skip locked`.execute(tx);
  return rows;
}

interface Batch {
  readonly to: Receiver;
  /** In order. */
  readonly notices: readonly Due[];
  /** The mail is about this set alone. */
  readonly setId: string | null;
}

/** A mail at once is about one set. A digest is about everything that is due. */
function planBatches(due: readonly Due[]): { batches: Batch[]; deferred: Due[] } {
  const [batches, deferred]: [Batch[], Due[]] = [[], []];
  const wanted = due.filter(({ timing }) => timing !== 'none');
  const receivers = Map.groupBy(wanted, (one) => `${one.organization_id} ${one.user_id} ${one.chat_id}`);
  for (const [to, ...others] of receivers.values()) {
    if (to === undefined) continue;
    const all = [to, ...others];
    const isDigest = (one: Due) => one.timing !== 'now' || one.is_deferred;
    const digest = all.filter(isDigest);
    if (digest.length > 0) batches.push({ to, notices: digest, setId: onlySet(digest) });
    const atOnce = [
      ...Map.groupBy(
        all.filter((one) => !isDigest(one)),
        ({ set_id }) => set_id,
      ),
    ];
    const allowed = Math.max(0, PER_HOUR_MAX - to.recent);
    for (const [setId, notices] of atOnce.slice(0, allowed)) batches.push({ to, notices, setId });
    for (const [, notices] of atOnce.slice(allowed)) deferred.push(...notices);
  }
  return { batches, deferred };
}

function onlySet(notices: readonly Due[]): string | null {
  const sets = new Set(notices.map(({ set_id }) => set_id));
  const [first = null] = sets;
  return sets.size === 1 ? first : null;
}

/** They come in the digest of the next hour. */
async function deferNotices(tx: Queryable, notices: readonly Due[]): Promise<void> {
  const ids = notices.map(({ id }) => id);
  await sql`update notices set is_deferred = true, due_at = date_trunc('hour', now()) + interval '1 hour'
    where id = any(${ids}::uuid[])`.execute(tx);
}

async function storeBatch(tx: Queryable, { to, notices, setId }: Batch, publicUrl: string): Promise<void> {
  const { slug, language } = to;
  const items = notices.flatMap((one) => noticeItems(one, { publicUrl, slug, language }));
  const first = items.filter(({ asksForChanges = false }) => asksForChanges);
  const shown = [...first, ...items.filter((item) => !first.includes(item))].slice(0, ITEMS_MAX);
  const more = items.length - shown.length;
  const object = { type: 'notice', organization: to.slug, language, items: shown, more } as const;
  await storeNotice(tx, to, { topic: NOTICE_TOPIC, object, setId });
}

/** Stores the event of a notice with its delivery. @returns the id of the delivery. */
export async function storeNotice(
  tx: Queryable,
  to: Omit<Receiver, 'slug' | 'language'>,
  notice: { topic: typeof NOTICE_TOPIC | typeof TEST_TOPIC; object: NoticeObject; setId: string | null },
): Promise<string> {
  const { topic, object, setId } = notice;
  const { organization_id: organizationId, user_id, chat_id, receiver: target } = to;
  const channel = user_id === null ? 'chat' : 'email';
  const event = { organizationId, topic, setId: setId ?? undefined };
  const delivery = { subscriber_id: null, user_id, chat_id, channel, target } as const;
  const [id = ''] = await insertEvent(tx, event, JSON.stringify(object), [delivery]);
  return id;
}

export function noticeOf(body: string): NoticeObject {
  const { data }: { readonly data: { readonly object: NoticeObject } } = JSON.parse(body);
  // One that the version before stored has none.
  return { ...data.object, language: data.object.language ?? 'en' };
}
