/** The choices of a member: which notices, and when. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { invalid } from '../../domain/failure.ts';
import { defaultTiming, NOTICE_KINDS, type NoticeKind, REFUSALS_MAX, type Timing } from '../../domain/notices.ts';
import { isUuid } from '../../domain/slugs.ts';
import { hmacOf, isSameSignature } from '../../lib/hmac.ts';
import { findMember, type MemberRef } from '../people/members.ts';

export interface Addressee {
  readonly email: string | null;
  readonly timeZone: string;
  /** The words of the mail server, if it refused the address so often that the service stopped. */
  readonly stopped: string | undefined;
}

/** @returns undefined if the person is not (or no longer) a member. */
export async function readAddressee(db: Queryable, member: MemberRef): Promise<Addressee | undefined> {
  const row = await db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .leftJoin('notice_addresses as a', 'a.user_id', 'm.user_id')
    .select(['u.email', 'a.refused_email', 'a.refusals', 'a.refused_reason'])
    .select((eb) => eb.fn.coalesce('a.time_zone', 'o.time_zone').as('time_zone'))
    .where('m.organization_id', '=', member.organizationId)
    .where('m.user_id', '=', member.userId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const isStopped = row.email !== null && row.refused_email === row.email && (row.refusals ?? 0) >= REFUSALS_MAX;
  return {
    email: row.email,
    timeZone: row.time_zone,
    stopped: isStopped ? (row.refused_reason ?? '') : undefined,
  };
}

/** Counts a refusal of the mail server in a row. @param reason its words. */
export async function noteRefusal(db: Queryable, userId: string, email: string, reason: string): Promise<void> {
  const values = { user_id: userId, refused_email: email, refusals: 1, refused_reason: reason };
  const refusals = sql<number>`case when notice_addresses.refused_email = ${email} then notice_addresses.refusals + 1 else 1 end`;
  await db
    .insertInto('notice_addresses')
    .values(values)
    .onConflict((at) => at.column('user_id').doUpdateSet({ ...values, refusals }))
    .execute();
}

/** After the mail server accepted a mail, or because the person asked for mails again. */
export async function forgetRefusals(db: Queryable, userId: string): Promise<void> {
  await db
    .updateTable('notice_addresses')
    .set({ refusals: 0, refused_email: null, refused_reason: null })
    .where('user_id', '=', userId)
    .where('refusals', '>', 0)
    .execute();
}

/** Whether members get mails at all. */
export async function isMailSent(db: Queryable): Promise<boolean> {
  const row = await db.selectFrom('installation').select('sends_mail').executeTakeFirstOrThrow();
  return row.sends_mail;
}

export interface Choices {
  /** All kinds have one. */
  readonly timings: ReadonlyMap<NoticeKind, Timing>;
  readonly timeZone: string;
}

/** @returns undefined if the person is no member. */
export async function readChoices(db: Queryable, member: MemberRef): Promise<(Choices & Addressee) | undefined> {
  const [found, addressee] = [await findMember(db, member), await readAddressee(db, member)];
  if (found === undefined || addressee === undefined) return undefined;
  const rows = await db
    .selectFrom('notice_choices')
    .select(['kind', 'timing'])
    .where('organization_id', '=', member.organizationId)
    .where('user_id', '=', member.userId)
    .execute();
  const chosen = new Map(rows.map(({ kind, timing }) => [kind, timing]));
  const timings = NOTICE_KINDS.map((kind) => [kind, chosen.get(kind) ?? defaultTiming(kind, found.role)] as const);
  return { ...addressee, timings: new Map(timings) };
}

/** @throws Failure (422) for a time zone that PostgreSQL does not know. */
export async function saveChoices(tx: Queryable, member: MemberRef, { timings, timeZone }: Choices): Promise<void> {
  const { rows } = await sql`select from pg_timezone_names where name = ${timeZone}`.execute(tx);
  if (rows.length === 0) throw invalid({ time_zone: ['is not known: choose one of the list.'] });
  await storeTimings(tx, member, timings);
  // Those that wait follow the new choice.
  await sql`update notices set due_at = now() where organization_id = ${member.organizationId}
    and user_id = ${member.userId} and not is_deferred`.execute(tx);
  await tx
    .insertInto('notice_addresses')
    .values({ user_id: member.userId, time_zone: timeZone })
    .onConflict((at) => at.column('user_id').doUpdateSet({ time_zone: timeZone }))
    .execute();
}

async function storeTimings(tx: Queryable, member: MemberRef, timings: Choices['timings']): Promise<void> {
  // Stores nothing for a person who is no longer a member.
  await sql`
    insert into notice_choices (organization_id, user_id, kind, timing)
    select m.organization_id, m.user_id, c.kind, c.timing
    from memberships m, unnest(${[...timings.keys()]}::text[], ${[...timings.values()]}::text[]) as c(kind, timing)
    where m.organization_id = ${member.organizationId} and m.user_id = ${member.userId}
    on conflict (organization_id, user_id, kind) do update set timing = excluded.timing`.execute(tx);
}

/** The token in the address that ends the notices of one member. Nobody can make one without the secret of the installation. */
export function unsubscribeToken(secret: Buffer, member: MemberRef): string {
  return `${member.organizationId}.${member.userId}.${signatureOf(secret, member)}`;
}

/** @returns undefined for a token that this installation did not sign. */
export function readUnsubscribeToken(secret: Buffer, token: string): MemberRef | undefined {
  const [organizationId = '', userId = '', signature = '', ...rest] = token.split('.');
  if (!isUuid(organizationId) || !isUuid(userId) || rest.length > 0) return undefined;
  const member = { organizationId, userId };
  return isSameSignature(signature, signatureOf(secret, member)) ? member : undefined;
}

const signatureOf = (secret: Buffer, { organizationId, userId }: MemberRef) =>
  hmacOf(secret, `unsubscribe\n${organizationId}\n${userId}`);

/** Ends all notices of a member, also those that wait. The member may choose others later. */
export async function unsubscribe(tx: Queryable, member: MemberRef): Promise<void> {
  const { organizationId, userId } = member;
  await storeTimings(tx, member, new Map(NOTICE_KINDS.map((kind) => [kind, 'none'])));
  await tx
    .updateTable('deliveries')
    .set({ status: 'gone', reason: 'The person wants no notices.', next_attempt_at: null, finished_at: new Date() })
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .where('status', '=', 'pending')
    .execute();
}
