/** Stores what happened, for each member and chat that wants to know. `collect.ts` makes mails and messages of it. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { defaultTiming, NOTICES, type NoticeFacts, type NoticeKind, QUIET_SECONDS } from '../../domain/notices.ts';
import { ROLES } from '../../domain/roles.ts';

export interface NewNotice {
  readonly organizationId: string;
  readonly kind: NoticeKind;
  readonly setId?: string | null;
  /** Notices of one kind and subject become one while they wait. The set unless given. */
  readonly subjectId?: string;
  readonly pictures?: number;
  readonly facts?: NoticeFacts;
  /** The person who did it gets no notice, and is named in it. */
  readonly by?: Pick<Actor, 'userId'>;
}

/** One statement, part of the transaction in which it happened. Stores nothing without a mail server and without chats. */
export async function recordNotice(tx: Queryable, notice: NewNotice): Promise<void> {
  const { organizationId, kind, setId = null, subjectId = setId, pictures = 0, facts = {}, by } = notice;
  const { timing } = NOTICES[kind];
  const roles = ROLES.filter((role) => defaultTiming(kind, role) !== 'none');
  const actor = by?.userId ?? null;
  const named = sql`${JSON.stringify(facts)}::jsonb || coalesce(
    (select jsonb_build_object('by', name) from users where id = ${actor}::uuid), '{}')`;
  const values = sql`${kind}::text, ${setId}::uuid, ${subjectId}::uuid, ${named}, ${pictures}::integer`;
  await sql`
    insert into notices (organization_id, user_id, chat_id, kind, set_id, subject_id, facts, pictures, timing, due_at)
    select *, now() + make_interval(secs => ${QUIET_SECONDS}) from (
      select m.organization_id, m.user_id, null::uuid as chat_id, ${values}, ${timing}::text
      from memberships m join users u on u.id = m.user_id
      left join notice_choices c
        on c.organization_id = m.organization_id and c.user_id = m.user_id and c.kind = ${kind}
      where m.organization_id = ${organizationId} and (select sends_mail from installation)
        and u.email is not null and m.user_id is distinct from ${actor}::uuid
        and case when c.timing is null then m.role = any(${roles}::text[]) else c.timing <> 'none' end
      union all
      select organization_id, null, id, ${values}, 'now' from notice_chats
      where organization_id = ${organizationId} and ${kind} = any(notices) and disabled_at is null
    ) wanted
    -- In one order, so that two transactions never wait for each other.
    order by user_id, chat_id
    on conflict (organization_id, user_id, chat_id, kind, subject_id) do update
      set times = notices.times + 1, pictures = notices.pictures + excluded.pictures, facts = excluded.facts`.execute(
    tx,
  );
}
