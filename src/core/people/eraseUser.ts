import type { Queryable } from '../../db/database.ts';
import { OPERATOR } from '../../domain/auditLog.ts';
import { notFound } from '../../domain/failure.ts';
import { isUuid } from '../../domain/slugs.ts';
import { removeMember } from './members.ts';

const FORMER_MEMBER = 'A former member';

/**
 * Removes what identifies a person: memberships, sessions, links, identities, invitations, mails, name and address. Reviews, comments and
 * share links stay, and show {@link FORMER_MEMBER}. Entries of the audit log keep the name until they expire.
 * @param person An address or an id.
 * @throws Failure: 404 for an unknown person, 409 for the last owner of an organization.
 */
export async function eraseUser(tx: Queryable, person: string): Promise<void> {
  const column = isUuid(person) ? 'id' : 'email';
  // The lock makes a sign-in at the same time wait.
  const user = tx.selectFrom('users').select(['id', 'email']).where(column, '=', person).forUpdate();
  const { id: userId, email } = (await user.executeTakeFirst()) ?? {};
  if (userId === undefined) throw notFound('email', `No person has the ${column} ${person}.`);
  const memberships = tx.selectFrom('memberships').select('organization_id').where('user_id', '=', userId);
  for (const { organization_id: organizationId } of await memberships.orderBy('organization_id').execute())
    await removeMember(tx, { organizationId, userId }, OPERATOR);
  const tables = ['user_sessions', 'user_identities', 'sign_in_links', 'notice_addresses', 'deliveries'] as const;
  for (const table of tables) await tx.deleteFrom(table).where('user_id', '=', userId).execute();
  if (email) await tx.deleteFrom('invitations').where('email', '=', email).execute();
  await tx.updateTable('users').set({ name: FORMER_MEMBER, email: null }).where('id', '=', userId).execute();
}
