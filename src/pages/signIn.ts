/** Signs a person in with an API key. The cookie contains the id of the key, never the key. */
import type { Request, Response } from 'express';
import { createKeyChecker } from '../api/limits/keyChecker.ts';
import { actorOf } from '../api/server/caller.ts';
import { findLiveKey } from '../core/organizations/apiKeys.ts';
import { recordAction } from '../core/organizations/auditLogQueries.ts';
import { parseKey } from '../domain/keys.ts';
import { html } from '../lib/html.ts';
import type { PagesOptions, ResultsPage } from './context.ts';
import { formField, isSameOrigin, redirectPath, withNotice } from './forms.ts';
import type { PagePaths } from './paths.ts';
import { COOKIE, findViewer, newSessionId, rememberHome, signSession } from './viewer.ts';

const SESSION_SECONDS = 12 * 3_600;

interface SignInForm {
  /** The page to open afterwards. */
  readonly next: string;
  readonly fault?: string;
  /** Whether the person sent a form after the session had ended. */
  readonly lostForm?: boolean;
}

export function signInPage(paths: PagePaths, slug: string, given: SignInForm): ResultsPage {
  const body = html`<section class="signin">
  <h1>Sign in to ${slug}</h1>
  ${given.lostForm === true && html`<p class="note fault" role="alert">Your session has ended, so the form changed nothing. Sign in to return to its page, then send it again.</p>`}
  <p>Paste an API key of this organization. The service checks the key and does not store it. The browser keeps only the id of the key, for twelve hours.</p>
  <form method="post" action="${paths.organization}/sign-in">
    <input type="hidden" name="next" value="${given.next}">
    ${given.lostForm === true && html`<input type="hidden" name="lost" value="1">`}
    <label for="key">API key</label>
    <input id="key" name="key" type="password" required autocomplete="current-password" spellcheck="false" autofocus placeholder="ts_live_…"${given.fault !== undefined && html` aria-invalid="true" aria-describedby="fault"`}>
    ${given.fault !== undefined && html`<p id="fault" class="fault" role="alert">${given.fault}</p>`}
    <button class="primary">Sign in</button>
  </form>
  <p class="hint">No key? The operator creates one: <code>tearsheet key create ${slug}</code>. To show one set to a person without a key, open the set and send its share link.</p>
</section>`;
  return { title: 'Sign in', body, status: given.lostForm === true ? 401 : 200 };
}

export interface Refusal {
  readonly slug: string;
  readonly reason: string;
  /** The id in the key that the person sent. It is in the entry only if the organization has such a key. */
  readonly keyId?: string | undefined;
}

export interface RefusedSignIn {
  /** Says why, and asks again. */
  readonly page: ResultsPage;
  readonly refusal: Refusal;
}

/** POST /o/:slug/sign-in. @returns undefined if the response was sent. */
export async function signIn(
  options: PagesOptions,
  { request, response, paths }: { request: Request; response: Response; paths: PagePaths },
): Promise<RefusedSignIn | undefined> {
  const slug = String(request.params['slug']);
  const next = redirectPath(paths, formField(request, 'next'));
  const lostForm = formField(request, 'lost') !== '';
  const key = parseKey(formField(request, 'key').trim());
  const refuse = (fault: string, reason: string): RefusedSignIn => ({
    page: signInPage(paths, slug, { next, lostForm, fault }),
    refusal: { slug, reason, keyId: key?.id },
  });
  if (!isSameOrigin(request)) return refuse('This form was sent from another site.', 'form of another site');
  if (key === undefined) return refuse('This is not an API key. Keys begin with ts_live_.', 'malformed key');
  const { store, keyChecker = createKeyChecker({ db: store.db }) } = options;
  const caller = await keyChecker.find(request, key);
  if (caller === undefined || caller.organization.slug !== slug) {
    const fault = 'This key does not open this page: it is unknown, revoked, expired, or of another organization.';
    return refuse(fault, 'unknown, revoked or expired key');
  }
  if (!caller.scopes.includes('read')) return refuse('This key lacks the scope "read".', 'missing scope read');
  const organizationId = caller.organization.id;
  await startSession(options, { request, response }, { paths, slug, keyId: key.id, organizationId });
  response.redirect(303, lostForm ? withNotice(next, 'not_sent') : next);
  return undefined;
}

interface NewSession {
  readonly paths: PagePaths;
  readonly slug: string;
  readonly keyId: string;
  readonly organizationId: string;
}

/** Adds an entry to the audit log and sets the cookie of a session. The caller has checked the key. */
async function startSession(
  { store, secret, publicUrl }: Pick<PagesOptions, 'store' | 'secret' | 'publicUrl'>,
  { request, response }: { request: Request; response: Response },
  { paths, slug, keyId, organizationId }: NewSession,
): Promise<void> {
  const [id, expires] = [newSessionId(), Math.floor(Date.now() / 1000) + SESSION_SECONDS];
  const actor = actorOf({ request, response }, { type: 'session', keyId });
  await recordAction(store.db, actor, { organizationId, action: 'session.started', objectId: id });
  response.cookie(COOKIE, signSession(secret, { slug, keyId, expires, id }), {
    ...cookieOptions(publicUrl, paths),
    maxAge: SESSION_SECONDS * 1000,
  });
  rememberHome(response, slug, { publicUrl, paths });
}

export function cookieOptions(publicUrl: string, paths: PagePaths) {
  const secure = publicUrl.startsWith('https:');
  return { httpOnly: true, sameSite: 'lax', secure, path: paths.organization } as const;
}

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
