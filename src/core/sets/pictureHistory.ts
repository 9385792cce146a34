/** Reads the history of one picture, in all of its versions. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { Decision } from '../../domain/reviews.ts';
import type { SHARE_ANSWERS } from '../../domain/shareLinks.ts';
import type { ScreenshotStatus } from '../../domain/states.ts';

/** The parts of a request that a retake can change. */
export type RetakeChange = 'page' | 'device' | 'slot' | 'location' | 'options';

export type PictureEvent = {
  readonly at: Date;
  /** The id of the version. */
  readonly version: string;
  /** A person, a key or a client; null if none is known. */
  readonly who: string | null;
  /** The reason, the note or the comment. */
  readonly text: string | null;
} & (
  | { readonly kind: 'requested'; readonly changes: readonly RetakeChange[] | null }
  | { readonly kind: 'taken'; readonly word: Exclude<ScreenshotStatus, 'pending'> }
  /** A decision; null for a new note. */
  | { readonly kind: 'reviewed'; readonly word: Decision | null }
  | { readonly kind: 'answered'; readonly word: (typeof SHARE_ANSWERS)[number] }
  | { readonly kind: 'resolved' }
);

/** @param ids of the versions. @returns newest first; `changes` is null for the first version. */
export async function readPictureHistory(
  db: Queryable,
  { organizationId, ids }: { readonly organizationId: string; readonly ids: readonly string[] },
): Promise<PictureEvent[]> {
  const { rows } = await sql<PictureEvent>`
    with versions as (
      select s.*, t.created_at as requested_at, t.settled_at from screenshots s join screenshot_sets t on t.id = s.set_id
      where s.id = any(${[...ids]}::uuid[]) and t.organization_id = ${organizationId}
    ),
    decided as (
      select *, lag(decision, 1, 'none') over (partition by screenshot_id order by id) as before
      from reviews where screenshot_id in (select id from versions)
    )
    select 'requested' as kind, v.requested_at as at, v.id as version, null as word, null as text,
      case when p.id is not null then array_remove(array[
        case when v.site_key <> p.site_key then 'page' end,
        case when v.device <> p.device then 'device' end,
        case when v.options->>'slot' is distinct from p.options->>'slot' then 'slot' end,
        case when v.options->>'location' is distinct from p.options->>'location' then 'location' end,
        case when v.options - '{slot,location}'::text[] <> p.options - '{slot,location}'::text[] then 'options' end
      ], null) end as changes,
      (select actor_name from audit_log where organization_id = ${organizationId} and object_id = v.set_id::text
        and action in ('screenshot_set.requested', 'screenshot_set.retaken') limit 1) as who
    from versions v left join screenshots p on p.id = v.retake_of
    union all
    select 'taken', coalesce(captured_at, settled_at, requested_at), id, status, null, null, null
    from versions where status <> 'pending'
    union all
    select 'reviewed', d.created_at, screenshot_id, nullif(decision, before), comment, null,
      coalesce(u.name, nullif(k.name, ''), k.id)
    from decided d left join users u on u.id = d.user_id left join api_keys k on k.id = d.key_id
    union all
    select 'answered', a.created_at, coalesce(a.screenshot_id, l.screenshot_id), a.answer, c.body, null, a.client_name
    from share_answers a left join comments c on c.id = a.comment_id
    left join latest_answers l on l.answer_id = a.id and a.screenshot_id is null and l.screenshot_id in (select id from versions)
    where a.set_id in (select set_id from versions) and coalesce(a.screenshot_id, l.screenshot_id) in (select id from versions)
    union all
    select 'resolved', c.resolved_at, c.screenshot_id, null, c.body, null, coalesce(u.name, nullif(k.name, ''), k.id)
    from comments c left join users u on u.id = c.resolved_by_user left join api_keys k on k.id = c.resolved_by
    where c.screenshot_id in (select id from versions) and c.thread_id is null and c.resolved_at is not null
    order by at desc, kind`.execute(db);
  return rows;
}
