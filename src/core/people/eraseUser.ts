import type { Queryable } from '../../db/database.ts';
import { OPERATOR } from '../../domain/auditLog.ts';
import { notFound } from '../../domain/failure.ts';
import { removeMember } from './members.ts';
import { findUserByEmail } from './users.ts';

const FORMER_MEMBER = 'A former member';

/**
 * Removes what identifies a person: memberships, sessions, links, identities, invitations, mails, name and address. Reviews, comments and
 * share links stay, and show {@link FORMER_MEMBER}. Entries of the audit log keep the name until they expire.
 * @throws Failure: 404 for an unknown address, 409 for the last owner of an organization.
 */
export async function eraseUser(tx: Queryable, email: string): Promise<void> {
  const user = await findUserByEmail(tx, email);
  if (user === undefined) throw notFound('email', `No person has the address ${email}.`);
  const { id: userId } = user;
  const memberships = tx.selectFrom('memberships').select('organization_id').where('user_id', '=', userId);
  for (const { organization_id: organizationId } of await memberships.orderBy('organization_id').execute())
    await removeMember(tx, { organizationId, userId }, OPERATOR);
  const tables = ['user_sessions', 'user_identities', 'sign_in_links', 'notice_addresses', 'deliveries'] as const;
  for (const table of tables) await tx.deleteFrom(table).where('user_id', '=', userId).execute();
  await tx.deleteFrom('invitations').where('email', '=', email).execute();
  await tx.updateTable('users').set({ name: FORMER_MEMBER, email: null }).where('id', '=', userId).execute();
}
