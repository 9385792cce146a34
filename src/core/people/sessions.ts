/** Sessions of people. A row is a session, so one that is removed is out with the next request. */
import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Queryable } from '../../db/database.ts';
import { notify } from '../../db/notifications.ts';
import type { Row } from '../../db/rows.ts';
import { openSecret, sealSecret } from '../../db/secrets/sealing.ts';
import type { Role } from '../../domain/roles.ts';
import { cutCodePoints, storable } from '../../domain/text.ts';
import type { Language } from '../../domain/texts/languages.ts';
import { sha256Bytes } from '../../lib/sha256.ts';

/** A provider applies its rules again at each sign-in, and signs in again without questions. A link by e-mail takes longer. */
const HOURS = { provider: 12, link: 7 * 24 } as const;
export type SignInMethod = keyof typeof HOURS;

const USER_AGENT_MAX = 200;

export interface NewSession {
  readonly userId: string;
  readonly method: SignInMethod;
  /** The provider's ID token. */
  readonly idToken?: string | undefined;
  readonly userAgent: string | undefined;
  readonly address: string | null;
}

/** @returns the token of the cookie, which is new with each sign-in, and its end. */
export async function startSession(
  tx: Queryable,
  { userId, method, idToken, userAgent, address }: NewSession,
): Promise<{ id: string; token: string; maxAgeMs: number }> {
  await tx.deleteFrom('user_sessions').where('expires_at', '<', sql<Date>`now()`).execute();
  const [id, token, hours] = [randomUUID(), randomBytes(32).toString('base64url'), HOURS[method]];
  await tx
    .insertInto('user_sessions')
    .values({
      id,
      token_sha256: sha256Bytes(token),
      user_id: userId,
      method,
      id_token: idToken === undefined ? null : sealSecret(tx, idToken, `user_sessions.id_token of ${id}`),
      user_agent: userAgent === undefined ? null : cutCodePoints(storable(userAgent), USER_AGENT_MAX),
      address,
      expires_at: sql<Date>`now() + make_interval(hours => ${hours})`,
    })
    .execute();
  return { id, token, maxAgeMs: hours * 3_600_000 };
}

/** One organization of a person who is signed in. */
export interface OwnMembership {
  readonly organizationId: string;
  readonly slug: string;
  readonly disabled: boolean;
  readonly role: Role;
}

/** A person who is signed in. */
export interface Person {
  readonly sessionId: string;
  readonly userId: string;
  readonly name: string;
  readonly email: string | null;
  /** The language of e-mails; null: that of each organization. */
  readonly language: Language | null;
  readonly method: SignInMethod;
  /** By slug. */
  readonly memberships: readonly OwnMembership[];
}

/**
 * @returns undefined for a session that ended or never was. A session by a link does not open what a rule about groups gives, because only
 *   the provider knows whether the rule still holds.
 */
export async function findPerson(db: Queryable, token: string): Promise<Person | undefined> {
  const session = await db
    .selectFrom('user_sessions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['s.id', 's.method', 's.user_id', 'u.name', 'u.email', 'u.language'])
    .select(sql<boolean>`s.last_used_at < now() - interval '1 minute'`.as('is_use_old'))
    .where('s.token_sha256', '=', sha256Bytes(token))
    .where('s.expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
  if (session === undefined) return undefined;
  const { method } = session;
  const rows = await db
    .selectFrom('memberships as m')
    .innerJoin('organizations as o', 'o.id', 'm.organization_id')
    .select(['o.id', 'o.slug', 'o.disabled_at', 'm.role'])
    .where('m.user_id', '=', session.user_id)
    .$if(method === 'link', (q) => q.where('m.by_rule', '=', false))
    .orderBy('o.slug')
    .execute();
  if (session.is_use_old) await noteUse(db, session.id);
  return {
    sessionId: session.id,
    userId: session.user_id,
    name: session.name,
    email: session.email,
    language: session.language,
    method,
    memberships: rows.map(({ id, slug, disabled_at, role }) => ({
      organizationId: id,
      slug,
      disabled: disabled_at !== null,
      role,
    })),
  };
}

/** Requests that would store the time of the use together do not wait for each other. */
async function noteUse(db: Queryable, id: string): Promise<void> {
  await sql`update user_sessions set last_used_at = now() where id =
    (select id from user_sessions where id = ${id} for no key update skip locked)`.execute(db);
}

export type SessionRow = Omit<Row<'user_sessions'>, 'token_sha256' | 'id_token' | 'user_id'>;

/** The sessions of a person that have not ended, the latest used first. */
export async function listSessions(db: Queryable, userId: string): Promise<SessionRow[]> {
  return db
    .selectFrom('user_sessions')
    .select(['id', 'method', 'user_agent', 'address', 'created_at', 'last_used_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', sql<Date>`now()`)
    .orderBy('last_used_at', 'desc')
    .orderBy('id')
    .execute();
}

/** Ends one session of a person, or all. @returns how many, and the ID token of the one session, if it has one. */
export async function endSessions(
  tx: Queryable,
  { userId, id }: { readonly userId: string; readonly id?: string },
): Promise<{ count: number; idToken: string | undefined }> {
  // In one order, so that two browsers of one person never wait for each other.
  await sql`select from user_sessions where user_id = ${userId} order by id for update`.execute(tx);
  const ended = await tx
    .deleteFrom('user_sessions')
    .where('user_id', '=', userId)
    .$if(id !== undefined, (q) => q.where('id', '=', id ?? ''))
    .returning(['id', 'id_token'])
    .execute();
  await endStreams(tx, userId);
  const [first] = ended;
  const sealed = id === undefined ? null : (first?.id_token ?? null);
  const idToken = sealed === null ? undefined : openSecret(tx, sealed, `user_sessions.id_token of ${id ?? ''}`);
  return { count: ended.length, idToken };
}

/** Open streams of this person look their viewer up again, and end if the person is out. */
export async function endStreams(tx: Queryable, userId: string): Promise<void> {
  await notify(tx, { person: userId });
}
