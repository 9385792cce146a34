/** Invitations of people into organizations. Each change is part of a transaction. */
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { lockOrganizationById } from '../../db/organizationLock.ts';
import type { ObjectRef, Row } from '../../db/rows.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { conflict, Failure, notFound } from '../../domain/failure.ts';
import type { Role } from '../../domain/roles.ts';
import { sha256Bytes } from '../../lib/sha256.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { addMember, countMembers, MEMBERS_MAX } from './members.ts';
import type { Person } from './sessions.ts';
import { insertUser, nameOf } from './users.ts';

export const INVITATION_DAYS = 7;

export type Invitation = Pick<Row<'invitations'>, 'id' | 'email' | 'role' | 'mailed' | 'created_at' | 'expires_at'>;

export interface WantedInvitation {
  readonly organizationId: string;
  /** As `readEmail` returns it. */
  readonly email: string;
  readonly role: Role;
  /** Whether the link goes to the address alone. It then proves the address. */
  readonly mailed: boolean;
}

/** Replaces an earlier invitation of the address. @returns it with the token of its link. @throws Failure (409) for a member, and over the limit. */
export async function invite(
  tx: Queryable,
  { organizationId, email, role, mailed }: WantedInvitation,
  actor: Actor,
): Promise<{ invitation: Invitation; token: string }> {
  await lockOrganizationById(tx, organizationId);
  const member = await tx
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .select('m.role')
    .where('m.organization_id', '=', organizationId)
    .where('u.email', '=', email)
    .executeTakeFirst();
  if (member !== undefined)
    throw conflict('email', `is the address of a member: change the role of this ${member.role}.`);
  if ((await countMembers(tx, organizationId)) >= MEMBERS_MAX)
    throw conflict('email', `would be one more than ${MEMBERS_MAX} members and invitations: remove some first.`);
  await tx.deleteFrom('invitations').where('expires_at', '<', sql<Date>`now()`).execute();
  const token = randomBytes(32).toString('base64url');
  const values = { role, mailed, token_sha256: sha256Bytes(token), expires_at: daysFromNow(INVITATION_DAYS) };
  const row = await tx
    .insertInto('invitations')
    .values({ id: randomUUID(), organization_id: organizationId, email, ...values })
    .onConflict((on) =>
      on.columns(['organization_id', 'email']).doUpdateSet({ ...values, created_at: sql<Date>`now()` }),
    )
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
  const of = { organizationId, id: row.id };
  await recordAction(tx, actor, { action: 'invitation.created', of, to: { email, role } });
  return { invitation: row, token };
}

const daysFromNow = (days: number) => sql<Date>`now() + make_interval(days => ${days})`;
const COLUMNS = ['id', 'email', 'role', 'mailed', 'created_at', 'expires_at'] as const;

/** Those that can still be accepted, newest first. */
export async function listInvitations(db: Queryable, organizationId: string): Promise<Invitation[]> {
  return db
    .selectFrom('invitations')
    .select(COLUMNS)
    .where('organization_id', '=', organizationId)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
}

/** @throws Failure (404) if there is no such invitation, for example because it was accepted. */
export async function withdrawInvitation(tx: Queryable, of: ObjectRef, actor: Actor): Promise<void> {
  const row = await tx
    .deleteFrom('invitations')
    .where('id', '=', of.id)
    .where('organization_id', '=', of.organizationId)
    .returning(['email', 'role'])
    .executeTakeFirst();
  if (row === undefined)
    throw notFound('id', 'This organization has no such invitation: it was accepted or withdrawn.');
  await recordAction(tx, actor, { action: 'invitation.deleted', of, from: row });
}

export interface OpenInvitation extends Invitation {
  readonly organizationId: string;
  readonly slug: string;
  /** Whether there is a person with this address. */
  readonly isKnown: boolean;
}

/** @returns undefined if the token is of no invitation, or of one that was accepted, withdrawn or has expired. */
export async function findInvitation(db: Queryable, token: string): Promise<OpenInvitation | undefined> {
  return db
    .selectFrom('invitations as i')
    .innerJoin('organizations as o', 'o.id', 'i.organization_id')
    .select([
      'i.id',
      'i.email',
      'i.role',
      'i.mailed',
      'i.created_at',
      'i.expires_at',
      'o.slug',
      'o.id as organizationId',
    ])
    .select(sql<boolean>`exists (select from users where email = i.email)`.as('isKnown'))
    .where('i.token_sha256', '=', sha256Bytes(token))
    .where('i.expires_at', '>', sql<Date>`now()`)
    .where('o.deletion_started_at', 'is', null)
    .executeTakeFirst();
}

/** Whether an invitation to this address can be accepted. */
export async function isInvited(db: Queryable, email: string): Promise<boolean> {
  const row = await db
    .selectFrom('invitations')
    .select('id')
    .where('email', '=', email)
    .where('expires_at', '>', sql<Date>`now()`)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether the link alone proves the address: it went only there, and nobody can be taken over with it. */
export const provesAddress = ({ mailed, isKnown }: Pick<OpenInvitation, 'mailed' | 'isKnown'>) => mailed && !isKnown;

interface Accepting {
  readonly token: string;
  /** The person who is signed in. */
  readonly person: Pick<Person, 'userId' | 'email'> | undefined;
  /** For a person who is new. */
  readonly name: string;
}

/**
 * Makes the person a member, once. A new person needs no sign-in if the link was sent by e-mail.
 * @throws Failure: 404 as {@link findInvitation}, 403 for a person with another address, 409 if this person must sign in first.
 */
export async function acceptInvitation(
  tx: Queryable,
  { token, person, name }: Accepting,
  actorOf: (userId: string) => Actor,
): Promise<{ userId: string; slug: string; isNew: boolean }> {
  const invitation = await findInvitation(tx, token);
  // Two requests at the same moment: one deletes the row, and the other waits and then finds none.
  const { numDeletedRows } = await tx
    .deleteFrom('invitations')
    .where('token_sha256', '=', sha256Bytes(token))
    .executeTakeFirst();
  if (invitation === undefined || numDeletedRows === 0n)
    throw notFound(
      'invitation',
      'This invitation was accepted or withdrawn, or it is older than a week. Ask for a new one.',
    );
  const { organizationId, email, role, slug } = invitation;
  if (person !== undefined && person.email !== email) {
    const text = `This invitation is for ${email}, and you are signed in with a different address. Sign out first.`;
    throw new Failure({ status: 403, code: 'forbidden', errors: { invitation: [text] } });
  }
  if (person === undefined && !provesAddress(invitation))
    throw conflict('invitation', `is for ${email}: sign in with this address first.`);
  const userId = person?.userId ?? (await insertUser(tx, { email, name: nameOf(name, email) }));
  await addMember(tx, { organizationId, userId, role }, actorOf(userId));
  return { userId, slug, isNew: person === undefined };
}
