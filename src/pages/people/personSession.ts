/** Starts and ends the session of a person, whose cookie is valid in all organizations. */
import type { Request, Response } from 'express';
import { actorOf } from '../../api/server/caller.ts';
import { recordAction } from '../../core/journal/auditLogQueries.ts';
import { endSessions, findPerson, type Person, type SignInMethod, startSession } from '../../core/people/sessions.ts';
import type { Queryable } from '../../db/database.ts';
import type { AuditAction } from '../../domain/auditLog.ts';
import type { PagesOptions } from '../parts/context.ts';
import { setCookie } from '../parts/cookies.ts';
import { type PagePaths, rootPath } from '../parts/paths.ts';
import { findSignedIn, PERSON_COOKIE } from '../signIn/viewer.ts';

export interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly paths: PagePaths;
}

/** @returns the page to open: `next`, or the first page of this person. */
export async function startPersonSession(
  tx: Queryable,
  { publicUrl }: Pick<PagesOptions, 'publicUrl'>,
  { request, response, paths }: Exchange,
  given: { readonly userId: string; readonly method: SignInMethod; readonly idToken?: string; readonly next: string },
): Promise<string> {
  const { userId, method, idToken, next } = given;
  const actor = actorOf({ request, response }, { type: 'session', userId });
  // A session that the browser had before ends, so that nobody else can know the token of the new one.
  const before = await findSignedIn(tx, request);
  if (before !== undefined) await endSessions(tx, { userId: before.userId, id: before.sessionId });
  const { address } = actor;
  const session = await startSession(tx, { userId, method, idToken, userAgent: request.get('user-agent'), address });
  const person = await findPerson(tx, session.token);
  if (person === undefined) throw new Error('unreachable: the session was just stored');
  await recordForAll(tx, { request, response }, person, 'session.started');
  const { token: value, maxAgeMs: maxAge } = session;
  setCookie(response, PERSON_COOKIE, { value, maxAge, publicUrl, path: rootPath(paths) });
  return next === '' ? homeOf(paths, person) : next;
}

/** The audit log of each organization of this person has the entry. */
export async function recordForAll(
  tx: Queryable,
  exchange: { readonly request: Request; readonly response: Response },
  { userId, sessionId, memberships }: Person,
  action: AuditAction,
): Promise<void> {
  const actor = actorOf(exchange, { type: 'session', userId });
  for (const { organizationId } of memberships)
    await recordAction(tx, actor, { action, of: { organizationId, id: sessionId } });
}

/** The one organization of a person, or the page that lists them. */
export function homeOf({ base }: PagePaths, { memberships }: Person): string {
  const [first] = memberships;
  return memberships.length === 1 && first !== undefined ? `${base}/o/${first.slug}` : `${base}/account`;
}

/** It is stored with a link, and in a cookie. */
const NEXT_MAX = 2_000;
const OWN = /^\/(o\/[a-z0-9-]+|account|invitations)([/?]|$)/;

/** @returns `next` if it is a page of this service for people who are signed in, otherwise ''. */
export function ownPage({ base }: PagePaths, next: unknown): string {
  const isPage = typeof next === 'string' && next.length <= NEXT_MAX && !/\p{Cc}/u.test(next) && next.startsWith(base);
  return isPage && OWN.test(next.slice(base.length)) ? next : '';
}
