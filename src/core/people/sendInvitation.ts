/** Invites a person by e-mail, or with a link that the person who invites passes on. */
import type { Database } from '../../db/database.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { Failure } from '../../domain/failure.ts';
import type { Role } from '../../domain/roles.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { type Invitation, invite } from './invitations.ts';
import { invitationMail } from './mails.ts';
import { requireEmail } from './users.ts';

interface Means {
  readonly db: Database;
  readonly publicUrl: string;
  readonly mailer: Mailer | undefined;
}

interface WantedInvitation {
  readonly organizationId: string;
  readonly slug: string;
  readonly email: string;
  readonly role: Role;
}

/**
 * @returns the invitation, and the address of its page unless it was sent by e-mail.
 * @throws Failure: 409 and 422 as `invite`, 503 if the mail server did not accept the mail. The invitation
 *   is then stored, and the same call sends it again.
 */
export async function sendInvitation(
  { db, publicUrl, mailer }: Means,
  { organizationId, slug, email: given, role }: WantedInvitation,
  actor: Actor,
): Promise<{ invitation: Invitation; url: string | undefined }> {
  const email = requireEmail(given);
  const wanted = { organizationId, email, role, mailed: mailer !== undefined };
  const { invitation, token } = await db.transaction().execute((tx) => invite(tx, wanted, actor));
  const url = `${publicUrl}/invitations/${token}`;
  if (mailer === undefined) return { invitation, url };
  const by =
    actor.userId && (await db.selectFrom('users').select('name').where('id', '=', actor.userId).executeTakeFirst());
  const mail = invitationMail(invitation, { slug, url, by: by ? by.name : null });
  await mailer.send(mail).catch((error: unknown) => {
    // The log has the reason, which may name the mail server.
    const text = 'was invited, but the mail server did not accept the mail. Invite again to send it again.';
    throw Object.assign(new Failure({ status: 503, code: 'unavailable', errors: { email: [text] } }), { cause: error });
  });
  return { invitation, url: undefined };
}
