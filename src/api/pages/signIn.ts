/** Signs a person in with an API key. The cookie contains the id of the key, never the key. */
import type { Request, Response } from 'express';
import { parseKey } from '../../domain/keys.ts';
import { authenticate } from '../../store/organizations/apiKeys.ts';
import type { PagesOptions, ResultsPage } from './context.ts';
import { formField, isSameOrigin, redirectPath } from './forms.ts';
import { rememberHome } from './homeCookie.ts';
import { html } from './html.ts';
import { withNotice } from './notices.ts';
import type { PagePaths } from './paths.ts';
import { signSession } from './signatures.ts';
import { COOKIE } from './viewer.ts';

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
  return { title: 'Sign in', body, ...(given.lostForm === true && { status: 401 }) };
}

/** POST /o/:slug/sign-in. @returns the page with the reason if the key is rejected; undefined if the response was sent. */
export async function signIn(
  options: PagesOptions,
  { request, response, paths }: { request: Request; response: Response; paths: PagePaths },
): Promise<ResultsPage | undefined> {
  const slug = String(request.params['slug']);
  const next = redirectPath(paths, formField(request, 'next'));
  const lostForm = formField(request, 'lost') !== '';
  const again = (fault: string) => signInPage(paths, slug, { next, lostForm, fault });
  if (!isSameOrigin(request)) return again('This form was sent from another site.');
  const key = parseKey(formField(request, 'key').trim());
  if (key === undefined) return again('This is not an API key. Keys begin with ts_live_.');
  const caller = await authenticate(options.store.db, key);
  if (caller === undefined || caller.organization.slug !== slug) {
    return again('This key does not open this page: it is unknown, revoked, expired, or of another organization.');
  }
  if (!caller.scopes.includes('read')) return again('This key lacks the scope "read".');
  startSession(options, response, { paths, slug, keyId: key.id });
  response.redirect(303, lostForm ? withNotice(next, 'not_sent') : next);
  return undefined;
}

/** Sets the cookie of a session. The caller has checked the key. */
export function startSession(
  { secret, publicUrl }: Pick<PagesOptions, 'secret' | 'publicUrl'>,
  response: Response,
  { paths, slug, keyId }: { paths: PagePaths; slug: string; keyId: string },
): void {
  const expires = Math.floor(Date.now() / 1000) + SESSION_SECONDS;
  response.cookie(COOKIE, signSession(secret, { slug, keyId, expires }), {
    ...cookieOptions(publicUrl, paths),
    maxAge: SESSION_SECONDS * 1000,
  });
  rememberHome(response, slug, { publicUrl, paths });
}

export function cookieOptions(publicUrl: string, paths: PagePaths) {
  const secure = publicUrl.startsWith('https:');
  return { httpOnly: true, sameSite: 'lax', secure, path: paths.organization } as const;
}
