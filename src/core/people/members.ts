/** The members of organizations. Each change is part of a transaction. */
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { lockOrganizationById } from '../../db/organizationLock.ts';
import type { Row } from '../../db/rows.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { conflict, notFound } from '../../domain/failure.ts';
import type { Role } from '../../domain/roles.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { endStreams } from './sessions.ts';

/** Members of one organization, invited people included. */
export const MEMBERS_MAX = 500;

export interface Member extends Pick<Row<'memberships'>, 'user_id' | 'role' | 'by_rule' | 'created_at'> {
  readonly name: string;
  /** Null if no address is proven: this person gets no mails. */
  readonly email: string | null;
}

export interface MemberRef {
  readonly organizationId: string;
  readonly userId: string;
}

const membersOf = (db: Queryable, organizationId: string) =>
  db
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select(['m.user_id', 'm.role', 'm.by_rule', 'm.created_at', 'u.name', 'u.email'])
    .where('m.organization_id', '=', organizationId);

/** By name. An organization has at most {@link MEMBERS_MAX}, and those that a rule adds. */
export async function listMembers(db: Queryable, organizationId: string): Promise<Member[]> {
  return membersOf(db, organizationId).orderBy('u.name').orderBy('u.id').execute();
}

export async function findMember(db: Queryable, { organizationId, userId }: MemberRef): Promise<Member | undefined> {
  return membersOf(db, organizationId).where('m.user_id', '=', userId).executeTakeFirst();
}

/** @throws Failure (404) */
export async function requireMemberByEmail(
  db: Queryable,
  { organizationId, email }: { readonly organizationId: string; readonly email: string },
): Promise<Member> {
  const row = await membersOf(db, organizationId).where('u.email', '=', email).executeTakeFirst();
  if (row === undefined) throw notFound('email', `No member of this organization has the address ${email}.`);
  return row;
}

/** Does nothing for a member. */
export async function addMember(
  tx: Queryable,
  { organizationId, userId, role }: MemberRef & { readonly role: Role },
  actor: Actor,
): Promise<void> {
  const { numInsertedOrUpdatedRows: added } = await tx
    .insertInto('memberships')
    .values({ organization_id: organizationId, user_id: userId, role })
    .onConflict((on) => on.doNothing())
    .executeTakeFirst();
  if (!added) return;
  await recordAction(tx, actor, { action: 'member.added', of: { organizationId, id: userId }, to: { role } });
}

/** @throws Failure: 404 if there is no such member, 409 for the last owner and for a role that a rule gives. */
export async function changeRole(
  tx: Queryable,
  { role, ...ref }: MemberRef & { readonly role: Role },
  actor: Actor,
): Promise<Member> {
  const before = await lockMember(tx, ref);
  if (before.role === role) return before;
  if (before.by_rule)
    throw conflict(
      'role',
      'comes from a rule about groups or e-mail domains, and each sign-in sets it again: change it there.',
    );
  await keepOneOwner(tx, before, ref);
  const { organizationId, userId } = ref;
  await tx
    .updateTable('memberships')
    .set({ role })
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute();
  const of = { organizationId, id: userId };
  await recordAction(tx, actor, { action: 'member.updated', of, from: { role: before.role }, to: { role } });
  await endStreams(tx, userId);
  return { ...before, role };
}

/** The next request of this person opens nothing in the organization. @throws Failure: 404, and 409 for the last owner. */
export async function removeMember(tx: Queryable, ref: MemberRef, actor: Actor): Promise<void> {
  const before = await lockMember(tx, ref);
  await keepOneOwner(tx, before, ref);
  const { organizationId, userId } = ref;
  await tx
    .deleteFrom('memberships')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute();
  await withdrawInvitations(tx, ref);
  const from = { name: before.name, role: before.role };
  await recordAction(tx, actor, { action: 'member.removed', of: { organizationId, id: userId }, from });
  await endStreams(tx, userId);
}

/** An open invitation would bring the person back. */
export async function withdrawInvitations(tx: Queryable, { organizationId, userId }: MemberRef): Promise<void> {
  await sql`delete from invitations i using users u
    where u.id = ${userId} and i.email = u.email and i.organization_id = ${organizationId}`.execute(tx);
}

/** Locks the organization too, so that two owners cannot remove each other at the same moment. */
async function lockMember(tx: Queryable, ref: MemberRef): Promise<Member> {
  await lockOrganizationById(tx, ref.organizationId);
  const member = await findMember(tx, ref);
  if (member === undefined) throw notFound('user_id', 'This organization has no such member.');
  return member;
}

async function keepOneOwner(tx: Queryable, { role }: Member, { organizationId, userId }: MemberRef): Promise<void> {
  if (role !== 'owner') return;
  const other = await tx
    .selectFrom('memberships')
    .select('user_id')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'owner')
    .where('user_id', '<>', userId)
    .limit(1)
    .executeTakeFirst();
  if (other === undefined) throw conflict('role', 'is that of the last owner: make another member an owner first.');
}

/** Counts members and open invitations. The caller has locked the organization. */
export async function countMembers(tx: Queryable, organizationId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from memberships where organization_id = ${organizationId})::integer
      + (select count(*) from invitations where organization_id = ${organizationId} and expires_at > now())::integer
      as count`.execute(tx);
  return rows[0]?.count ?? 0;
}
