/** Finds the viewer by API key or session. Each request asks PostgreSQL, so a revoked key or a removed member has no access. */

import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { createKeyChecker } from '../../api/limits/keyChecker.ts';
import { findLiveKey } from '../../core/organizations/apiKeys.ts';
import { findPerson, type Person } from '../../core/people/sessions.ts';
import type { Queryable } from '../../db/database.ts';
import { keyOfHeader } from '../../domain/keys.ts';
import { permissionsOf, permissionsOfKey } from '../../domain/roles.ts';
import { isSlug } from '../../domain/slugs.ts';
import { hmacOf, isSameSignature } from '../../lib/hmac.ts';
import type { PagesOptions, Viewer } from '../parts/context.ts';
import { clearCookie, cookiesOf, setCookie } from '../parts/cookies.ts';
import { type PagePaths, rootPath } from '../parts/paths.ts';

const HOME_COOKIE = 'tearsheet_home';
const DAYS = 90;

interface HomeOptions {
  readonly publicUrl: string;
  readonly paths: PagePaths;
}

interface Session {
  /** Random, so that one session can end before the others of its key. */
  readonly id: string;
  readonly slug: string;
  readonly keyId: string;
  /** Unix seconds. */
  readonly expires: number;
}

type NewSession = Omit<Session, 'id'> & { readonly id?: string };
export const newSessionId = () => randomBytes(12).toString('base64url');

export const COOKIE = 'tearsheet_session';
/** The session of a person, in all organizations. */
export const PERSON_COOKIE = 'tearsheet_person';

export type ViewerOptions = Pick<PagesOptions, 'store' | 'secret' | 'keyChecker'>;

/** @returns undefined if the request proves no access to this organization, whether or not the organization exists. */
export async function findViewer(options: ViewerOptions, request: Request): Promise<Viewer | undefined> {
  return findViewerOf(options, request, String(request.params['slug']));
}

/** As {@link findViewer}, for requests that match no route. */
export async function findViewerOf(
  options: ViewerOptions,
  request: Request,
  slug: string,
): Promise<Viewer | undefined> {
  return (
    (await byHeader(options, request, slug)) ??
    (await bySession(options, request, slug)) ??
    (await byPerson(options, request, slug))
  );
}

export function findSession(secret: Buffer, request: Request, slug: string): Session | undefined {
  return cookiesOf(request, COOKIE)
    .map((value) => readSession(secret, slug, value))
    .find((session) => session !== undefined);
}

/** @throws Failure (429) after too many wrong keys. */
async function byHeader(options: ViewerOptions, request: Request, slug: string): Promise<Viewer | undefined> {
  const { store, keyChecker = createKeyChecker({ db: store.db }) } = options;
  const key = keyOfHeader(request.headers.authorization ?? '');
  const caller = key && (await keyChecker.find(request, key));
  if (caller === undefined || caller.organization.slug !== slug || !caller.scopes.includes('read')) return undefined;
  const { id, disabled } = caller.organization;
  const { keyId, scopes } = caller;
  return viewerOf(permissionsOfKey(scopes), { organizationId: id, slug, disabled, keyId, name: '', formToken: '' });
}

async function bySession(
  { store, secret }: ViewerOptions,
  request: Request,
  slug: string,
): Promise<Viewer | undefined> {
  const session = findSession(secret, request, slug);
  const key = session && (await findLiveKey(store.db, { keyId: session.keyId, slug, sessionId: session.id }));
  if (session === undefined || key === undefined || !key.scopes.includes('read')) return undefined;
  const { scopes, ...found } = key;
  const { keyId } = session;
  return viewerOf(permissionsOfKey(scopes), { ...found, slug, keyId, formToken: formToken(secret, session) });
}

async function byPerson({ store, secret }: ViewerOptions, request: Request, slug: string): Promise<Viewer | undefined> {
  const person = await findSignedIn(store.db, request);
  const membership = person?.memberships.find((one) => one.slug === slug);
  if (person === undefined || membership === undefined) return undefined;
  const { organizationId, disabled, role } = membership;
  const formToken = personFormToken(secret, person);
  const { name, userId } = person;
  return viewerOf(permissionsOf(role), {
    organizationId,
    slug,
    disabled,
    keyId: null,
    person,
    userId,
    name,
    formToken,
  });
}

type Found = Omit<Viewer, 'scopes' | 'canWrite' | 'canReview' | 'person' | 'userId'> &
  Partial<Pick<Viewer, 'person' | 'userId'>>;

function viewerOf(scopes: readonly string[], found: Found): Viewer {
  const can = { canWrite: scopes.includes('write'), canReview: scopes.includes('review') };
  return { person: undefined, userId: null, ...found, scopes, ...can };
}

/** @returns the person whom one of the cookies names, in whatever organization; undefined if nobody is signed in. */
export async function findSignedIn(db: Queryable, request: Request): Promise<Person | undefined> {
  for (const token of cookiesOf(request, PERSON_COOKIE)) {
    const person = await findPerson(db, token);
    if (person !== undefined) return person;
  }
  return undefined;
}

/** The token of the forms of one session of a person. */
export function personFormToken(secret: Buffer, { sessionId }: Pick<Person, 'sessionId'>): string {
  return sign(secret, 'form of a person', [sessionId]);
}

/** @returns the cookie of a session. It contains the id of the key; each request checks the key in PostgreSQL. */
export function signSession(secret: Buffer, { slug, keyId, expires, id = newSessionId() }: NewSession): string {
  return `v2.${keyId}.${expires}.${id}.${sign(secret, 'session', [slug, keyId, expires, id])}`;
}

/** @returns undefined for a cookie that is forged, expired, or of another organization. */
export function readSession(secret: Buffer, slug: string, cookie: string): Session | undefined {
  const [version, keyId = '', expires = '', id = '', signature = '', ...rest] = cookie.split('.');
  if (version !== 'v2' || rest.length > 0 || !isFuture(expires)) return undefined;
  if (!isSameSignature(signature, sign(secret, 'session', [slug, keyId, expires, id]))) return undefined;
  return { id, slug, keyId, expires: Number(expires) };
}

/** @returns the token that the forms of this session contain, because another site cannot know it. */
export function formToken(secret: Buffer, { slug, keyId, expires, id }: Session): string {
  return sign(secret, 'form', [slug, keyId, expires, id]);
}

function isFuture(expires: string): boolean {
  return /^\d{1,12}$/.test(expires) && Number(expires) * 1000 > Date.now();
}

/** The signature includes its purpose, so that none is valid for another purpose. */
function sign(secret: Buffer, purpose: string, parts: readonly (string | number)[]): string {
  return hmacOf(secret, ['pages', purpose, ...parts].join('\n'));
}

/**
 * Remembers the organization that a person signed in to last, so that `/` leads there. The cookie of the session is not
 * sent to `/`. This one holds only the name of the organization, which is not a secret and gives no access.
 */
export function rememberHome(response: Response, slug: string, options: HomeOptions): void {
  setCookie(response, HOME_COOKIE, { ...optionsOf(options), value: slug, maxAge: DAYS * 86_400_000 });
}

export function forgetHome(response: Response, options: HomeOptions): void {
  clearCookie(response, HOME_COOKIE, optionsOf(options));
}

/** @returns the name of an organization, which may no longer exist. */
export function readHome(request: Request): string | undefined {
  const [slug = ''] = cookiesOf(request, HOME_COOKIE);
  return isSlug(slug) ? slug : undefined;
}

const optionsOf = ({ publicUrl, paths }: HomeOptions) => ({ publicUrl, path: rootPath(paths) });
