/** Finds the viewer by API key or session. Each request asks PostgreSQL, so a revoked key opens nothing. */
import type { Request } from 'express';
import { createKeyChecker } from '../api/limits/keyChecker.ts';
import { findLiveKey } from '../core/organizations/apiKeys.ts';
import { keyOfHeader } from '../domain/keys.ts';
import type { PagesOptions, Viewer } from './context.ts';
import { formToken, readSession, type Session } from './signatures.ts';

export const COOKIE = 'tearsheet_session';

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
  return (await byHeader(options, request, slug)) ?? (await bySession(options, request, slug));
}

export function findSession(secret: Buffer, request: Request, slug: string): Session | undefined {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [name, value = ''] = part.trim().split('=', 2);
    const session = name === COOKIE ? readSession(secret, slug, value) : undefined;
    if (session !== undefined) return session;
  }
  return undefined;
}

/** @throws Failure (429) after too many wrong keys. */
async function byHeader(options: ViewerOptions, request: Request, slug: string): Promise<Viewer | undefined> {
  const { store, keyChecker = createKeyChecker({ db: store.db }) } = options;
  const key = keyOfHeader(request.headers.authorization ?? '');
  const caller = key && (await keyChecker.find(request, key));
  if (caller === undefined || caller.organization.slug !== slug || !caller.scopes.includes('read')) return undefined;
  const { id, disabled } = caller.organization;
  const canWrite = caller.scopes.includes('write');
  const { keyId, scopes } = caller;
  return { organizationId: id, slug, disabled, scopes, canWrite, keyId, formToken: '' };
}

async function bySession(
  { store, secret }: ViewerOptions,
  request: Request,
  slug: string,
): Promise<Viewer | undefined> {
  const session = findSession(secret, request, slug);
  const key = session && (await findLiveKey(store.db, { keyId: session.keyId, slug, sessionId: session.id }));
  if (session === undefined || key === undefined || !key.scopes.includes('read')) return undefined;
  const canWrite = key.scopes.includes('write');
  return { ...key, slug, canWrite, keyId: session.keyId, formToken: formToken(secret, session) };
}
