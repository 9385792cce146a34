/** People whom an OpenID Connect provider names, and what its rules give them. */
import { sql } from 'kysely';
import { personLock, takeLock } from '../../db/advisoryLocks.ts';
import type { Queryable } from '../../db/database.ts';
import { SERVICE } from '../../domain/auditLog.ts';
import { ROLES, type Role } from '../../domain/roles.ts';
import type { UnknownGroups } from '../../domain/signIns.ts';
import { recordAction } from '../journal/auditLogQueries.ts';
import { isInvited } from './invitations.ts';
import { withdrawInvitations } from './members.ts';
import { endStreams } from './sessions.ts';
import { findUserByEmail, insertUser, nameOf } from './users.ts';

/** The provider's words about a person, after all checks of the protocol. */
export interface Claims {
  readonly issuer: string;
  readonly subject: string;
  /** Only an address that the provider has verified. */
  readonly email: string | undefined;
  readonly name: string | undefined;
  /** Or why the provider does not name them. */
  readonly groups: readonly string[] | UnknownGroups;
}

/** Members of a group, or people with a verified address of this domain, have a role in an organization. */
export interface MembershipRule {
  readonly organization: string;
  readonly role: Role;
  readonly group?: string | undefined;
  readonly email_domain?: string | undefined;
}

/** @returns the highest role for each organization that a rule gives. */
export function rolesByRule(rules: readonly MembershipRule[], { groups, email }: Claims): ReadonlyMap<string, Role> {
  const domain = email?.split('@').at(-1);
  const named = typeof groups === 'string' ? [] : groups;
  const matching = rules.filter((rule) =>
    rule.group === undefined ? domain !== undefined && rule.email_domain === domain : named.includes(rule.group),
  );
  const roles = new Map<string, Role>();
  for (const role of ROLES)
    for (const rule of matching)
      if (rule.role === role && !roles.has(rule.organization)) roles.set(rule.organization, role);
  return roles;
}

/** @returns the organizations in which a rule may give a role that the claims do not tell, because they name no groups. */
export function unknownByRule(rules: readonly MembershipRule[], { groups }: Claims): readonly string[] {
  if (typeof groups !== 'string') return [];
  return rules.filter(({ group }) => group !== undefined).map(({ organization }) => organization);
}

/** @returns the roles in organizations that exist. */
async function inExisting(tx: Queryable, roles: ReadonlyMap<string, Role>): Promise<ReadonlyMap<string, Role>> {
  const { rows } = await sql<{ slug: string }>`
    select slug from organizations where slug = any(${[...roles.keys()]}::text[]) and deletion_started_at is null`.execute(
    tx,
  );
  const slugs = new Set(rows.map(({ slug }) => slug));
  return new Map([...roles].filter(([slug]) => slugs.has(slug)));
}

/**
 * Finds or makes the person, and gives and takes memberships by the rules.
 * @param onMissing gets the slug of an organization that a matching rule names and that does not exist.
 * @returns the id of the person; undefined for a stranger, whom no rule and no invitation names.
 */
export async function signInByClaims(
  tx: Queryable,
  claims: Claims,
  rules: readonly MembershipRule[],
  onMissing?: (slug: string) => void,
): Promise<string | undefined> {
  // Two first sign-ins of one person at the same moment make one person.
  await takeLock(tx, personLock(claims.issuer, claims.subject));
  const given = rolesByRule(rules, claims);
  const roles = await inExisting(tx, given);
  for (const slug of given.keys()) if (!roles.has(slug)) onMissing?.(slug);
  const known = await tx
    .selectFrom('user_identities')
    .select('user_id')
    .where('issuer', '=', claims.issuer)
    .where('subject', '=', claims.subject)
    .executeTakeFirst();
  const userId = known === undefined ? await firstSignIn(tx, claims, roles.size > 0) : known.user_id;
  if (userId === undefined) return undefined;
  if (known !== undefined) await updateUser(tx, userId, claims);
  await applyRoles(tx, userId, { roles, unknown: unknownByRule(rules, claims) });
  return userId;
}

/** Links the identity to the person with its verified address, or to a new person. */
async function firstSignIn(tx: Queryable, claims: Claims, hasRole: boolean): Promise<string | undefined> {
  const { issuer, subject, email } = claims;
  const owner = email === undefined ? undefined : await findUserByEmail(tx, email);
  const linked = owner && (await hasIdentity(tx, owner.id, issuer)) ? undefined : owner?.id;
  const isExpected = hasRole || linked !== undefined || (email !== undefined && (await isInvited(tx, email)));
  if (!isExpected) return undefined;
  // The provider gives the address to this account now, so mails to it no longer reach the earlier one.
  if (owner !== undefined && linked === undefined)
    await tx.updateTable('users').set({ email: null }).where('id', '=', owner.id).execute();
  const userId = linked ?? (await insertUser(tx, { email: email ?? null, name: nameOf(claims.name, email ?? null) }));
  await tx.insertInto('user_identities').values({ issuer, subject, user_id: userId }).execute();
  return userId;
}

/** @returns whether the person has signed in with a provider, or with this one. */
export async function hasIdentity(db: Queryable, userId: string, issuer?: string): Promise<boolean> {
  const rows = db.selectFrom('user_identities').select('subject').where('user_id', '=', userId);
  const found = issuer === undefined ? rows : rows.where('issuer', '=', issuer);
  return (await found.executeTakeFirst()) !== undefined;
}

/** The name follows the provider. So does the address, if it is verified and nobody else has it. */
async function updateUser(tx: Queryable, id: string, { name, ...claims }: Claims): Promise<void> {
  const email = claims.email ?? null;
  await sql`update users u set
      name = coalesce(${name === undefined ? null : nameOf(name, email)}, name),
      email = case when exists (select from users where email = ${email} and id <> u.id) then email
        else coalesce(${email}, email) end
    where id = ${id}`.execute(tx);
}

interface Given {
  readonly roles: ReadonlyMap<string, Role>;
  /** Slugs of organizations in which a membership by rule stays as it is. */
  readonly unknown: readonly string[];
}

/** Memberships that people gave stay as they are. */
async function applyRoles(tx: Queryable, userId: string, { roles, unknown }: Given): Promise<void> {
  const [slugs, wanted] = [[...roles.keys()], [...roles.values()]];
  const lost = await sql<{ organization_id: string; role: string }>`
    delete from memberships m using organizations o
    where o.id = m.organization_id and m.user_id = ${userId} and m.by_rule and not o.slug = any(${[...slugs, ...unknown]}::text[])
    returning m.organization_id, m.role`.execute(tx);
  for (const { organization_id: organizationId, role } of lost.rows) {
    await recordAction(tx, SERVICE, { action: 'member.removed', of: { organizationId, id: userId }, from: { role } });
    await withdrawInvitations(tx, { organizationId, userId });
    await endStreams(tx, userId);
  }
  const given = await sql<{ organization_id: string; role: string; is_new: boolean }>`
    insert into memberships as m (organization_id, user_id, role, by_rule)
    select o.id, ${userId}, g.role, true from unnest(${slugs}::text[], ${wanted}::text[]) as g (slug, role)
    join organizations o on o.slug = g.slug where o.deletion_started_at is null
    on conflict (organization_id, user_id) do update set role = excluded.role where m.by_rule and m.role <> excluded.role
      and not exists (select from organizations o where o.id = m.organization_id and o.slug = any(${unknown}::text[]))
    returning organization_id, role, xmax = 0 as is_new`.execute(tx);
  for (const { organization_id: organizationId, role, is_new } of given.rows) {
    const action = is_new ? 'member.added' : 'member.updated';
    await recordAction(tx, SERVICE, { action, of: { organizationId, id: userId }, to: { role } });
  }
}
