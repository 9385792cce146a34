import { type Command, Option } from 'commander';
import { type Config, loadConfig } from '../config.ts';
import { requireOrganization } from '../core/organizations/organizations.ts';
import { eraseUser } from '../core/people/eraseUser.ts';
import { changeRole, listMembers, type MemberRef, removeMember, requireMemberByEmail } from '../core/people/members.ts';
import { sendInvitation } from '../core/people/sendInvitation.ts';
import { requireEmail } from '../core/people/users.ts';
import type { Database } from '../db/database.ts';
import { OPERATOR } from '../domain/auditLog.ts';
import { invalid } from '../domain/failure.ts';
import { ROLES, type Role } from '../domain/roles.ts';
import { isUuid } from '../domain/slugs.ts';
import { mailerOf } from './service/people.ts';
import { print, withStore } from './withStore.ts';

export function userCommand(program: Command): void {
  const user = program
    .command('user')
    .description('manage the members of organizations: list, invite, role, remove, erase');
  user
    .command('list <slug>')
    .description('list the members of an organization')
    .option('--json', 'print one JSON line for each member')
    .action((slug: string, { json = false }: { json?: boolean }) =>
      withStore(async (db) => {
        const { id } = await requireOrganization(db, slug);
        for (const member of await listMembers(db, id)) {
          if (json) print({ ...member }, true);
          else console.log(`${member.email ?? member.user_id}  ${member.role}  ${member.name}`);
        }
      }),
    );
  user
    .command('invite <slug> <email>')
    .description('invite a person, by e-mail if SMTP_URL is set, and otherwise with a link that it prints')
    .addOption(new Option('--role <role>', 'the role of the person').choices(ROLES).default('viewer'))
    .option('--json', 'print one JSON line')
    .action((slug: string, email: string, { role, json = false }: { role: Role; json?: boolean }) =>
      withStore((db) => inviteOne(db, { slug, email, role, json })),
    );
  user
    .command('role <slug> <email> <role>')
    .description(`change the role of a member: ${ROLES.join(', ')}`)
    .action((slug: string, email: string, wanted: string) => {
      const role = ROLES.find((one) => one === wanted);
      if (role === undefined) throw invalid({ role: [`must be one of: ${ROLES.join(', ')}.`] });
      return withMember({ slug, email }, (db, ref) =>
        db.transaction().execute((tx) => changeRole(tx, { ...ref, role }, OPERATOR)),
      );
    });
  user
    .command('remove <slug> <email>')
    .description('remove a member, who loses access to the organization immediately')
    .action((slug: string, email: string) =>
      withMember({ slug, email }, (db, ref) => db.transaction().execute((tx) => removeMember(tx, ref, OPERATOR))),
    );
  user
    .command('erase <email-or-id>')
    .description('erase a person from all organizations; reviews and comments stay, by "A former member"')
    .action((who: string) =>
      withStore((db) => db.transaction().execute((tx) => eraseUser(tx, isUuid(who) ? who : requireEmail(who)))),
    );
}

interface Named {
  readonly slug: string;
  readonly email: string;
}

function withMember({ slug, email }: Named, act: (db: Database, ref: MemberRef) => Promise<unknown>): Promise<void> {
  return withStore(async (db) => {
    const { id: organizationId } = await requireOrganization(db, slug);
    const { user_id: userId } = await requireMemberByEmail(db, { organizationId, email: requireEmail(email) });
    await act(db, { organizationId, userId });
  });
}

async function inviteOne(
  db: Database,
  { slug, email, role, json }: Named & { readonly role: Role; readonly json: boolean },
): Promise<void> {
  const config = loadConfig(process.env, ['PUBLIC_URL']);
  requireWay(config);
  const means = { db, publicUrl: config.PUBLIC_URL, mailer: await mailerOf(config) };
  const { id: organizationId } = await requireOrganization(db, slug);
  const { invitation, url } = await sendInvitation(means, { organizationId, slug, email, role }, OPERATOR);
  const expires_at = invitation.expires_at.toISOString();
  print({ email: invitation.email, role, expires_at, ...(url !== undefined && { url }) }, json);
}

function requireWay({ SMTP_URL, OIDC_ISSUER }: Pick<Config, 'SMTP_URL' | 'OIDC_ISSUER'>): void {
  if (SMTP_URL !== undefined || OIDC_ISSUER !== undefined) return;
  const text = 'Invited people could not sign in: set SMTP_URL or OIDC_ISSUER for this command and for the API.';
  throw invalid({ email: [text] });
}
