/** Finds the viewer by API key, session or share link. Each request asks PostgreSQL, so a revoked key opens nothing. */
import type { Request } from 'express';
import { keyOfHeader } from '../../domain/keys.ts';
import { authenticate, findLiveKey } from '../../store/organizations/apiKeys.ts';
import { findOrganization } from '../../store/organizations/organizations.ts';
import type { PagesOptions, Viewer } from './context.ts';
import { formToken, isShare, readSession, type Session } from './signatures.ts';

export const COOKIE = 'tearsheet_session';

type ViewerOptions = Pick<PagesOptions, 'store' | 'secret'>;

/** @returns undefined if the request proves no access to this organization, whether or not the organization exists. */
export async function findViewer(options: ViewerOptions, request: Request): Promise<Viewer | undefined> {
  const slug = String(request.params['slug']);
  return (
    (await byHeader(options, request, slug)) ??
    (await bySession(options, request, slug)) ??
    (await byShareLink(options, request, slug))
  );
}

export function findSession(secret: Buffer, request: Request, slug: string): Session | undefined {
  for (const part of (request.headers.cookie ?? '').split(';')) {
    const [name, value = ''] = part.trim().split('=', 2);
    const session = name === COOKIE ? readSession(secret, slug, value) : undefined;
    if (session !== undefined) return session;
  }
  return undefined;
}

async function byHeader({ store }: ViewerOptions, request: Request, slug: string): Promise<Viewer | undefined> {
  const key = keyOfHeader(request.headers.authorization ?? '');
  const caller = key && (await authenticate(store.db, key));
  if (caller === undefined || caller.organization.slug !== slug || !caller.scopes.includes('read')) return undefined;
  const { id, disabled } = caller.organization;
  return { organizationId: id, slug, disabled, canWrite: caller.scopes.includes('write'), formToken: '' };
}

async function bySession(
  { store, secret }: ViewerOptions,
  request: Request,
  slug: string,
): Promise<Viewer | undefined> {
  const session = findSession(secret, request, slug);
  const key = session && (await findLiveKey(store.db, { keyId: session.keyId, slug }));
  if (session === undefined || key === undefined || !key.scopes.includes('read')) return undefined;
  return { ...key, slug, canWrite: key.scopes.includes('write'), formToken: formToken(secret, session) };
}

async function byShareLink(
  { store, secret }: ViewerOptions,
  request: Request,
  slug: string,
): Promise<Viewer | undefined> {
  const token = request.query['s'];
  const setId = request.params['id'];
  if (typeof token !== 'string' || typeof setId !== 'string' || !isShare(secret, { slug, setId, token }))
    return undefined;
  const organization = await findOrganization(store.db, slug);
  if (organization === undefined) return undefined;
  const disabled = organization.disabled_at !== null;
  return { organizationId: organization.id, slug, disabled, canWrite: false, sharedSet: setId, formToken: '' };
}
