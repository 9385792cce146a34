/** Signs in with a link that works once. */
import type { Request, Response } from 'express';
import { findLiveKey } from '../core/organizations/apiKeys.ts';
import type { PagesOptions } from './context.ts';
import type { PagePaths } from './paths.ts';
import { type RefusedSignIn, signInPage, startSession } from './signIn.ts';
import { findViewer } from './viewer.ts';

/** GET /o/:slug/sign-in/:token. @returns undefined if the response was sent. */
export async function signInOnce(
  options: PagesOptions,
  { request, response, paths }: { request: Request; response: Response; paths: PagePaths },
): Promise<RefusedSignIn | undefined> {
  const slug = String(request.params['slug']);
  response.set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
  // Programs that preview links send HEAD, and a second click comes from a browser that is signed in: neither needs the link.
  const isSignedIn = request.method === 'HEAD' || (await findViewer(options, request)) !== undefined;
  const link = isSignedIn ? undefined : options.signIns?.take(slug, String(request.params['token']));
  const key = link && (await findLiveKey(options.store.db, { keyId: link.keyId, slug }));
  if (!isSignedIn && (link === undefined || key === undefined)) {
    const fault =
      'This link was used already, or it is older than ten minutes. Start the service again for a new one, or paste an API key.';
    const page = signInPage(paths, slug, { next: paths.organization, fault });
    return { page, refusal: { slug, reason: 'link that was used, expired or never given' } };
  }
  if (link !== undefined && key !== undefined) {
    const { organizationId } = key;
    await startSession(options, { request, response }, { paths, slug, keyId: link.keyId, organizationId });
  }
  response.redirect(303, paths.organization);
  return undefined;
}
