/** Signing in is pasting an API key; the cookie that follows names the key, and holds nothing of it. */
import type { Request, Response } from 'express';
import { parseKey } from '../../domain/keys.ts';
import { authenticate } from '../../store/organizations/apiKeys.ts';
import type { PagePaths, PagesOptions, ResultsPage } from './context.ts';
import { html } from './html.ts';
import { isOwnForm } from './origins.ts';
import { signSession } from './signatures.ts';
import { COOKIE } from './viewer.ts';

const SESSION_SECONDS = 12 * 3_600;

export function signInPage(paths: PagePaths, slug: string, given: { next: string; fault?: string }): ResultsPage {
  const body = html`<section class="signin">
  <h1>Sign in to ${slug}</h1>
  <p>Paste an API key of this organization. It is checked and not kept: this browser remembers only which key it was, for twelve hours.</p>
  <form method="post" action="${paths.organization}/sign-in">
    <input type="hidden" name="next" value="${given.next}">
    <label for="key">API key</label>
    <input id="key" name="key" type="password" required autocomplete="current-password" spellcheck="false" autofocus placeholder="ts_live_…"${given.fault !== undefined && html` aria-invalid="true" aria-describedby="fault"`}>
    ${given.fault !== undefined && html`<p id="fault" class="fault" role="alert">${given.fault}</p>`}
    <button class="primary">Sign in</button>
  </form>
  <p class="hint">No key? The operator makes one: <code>tearsheet key create ${slug}</code>. To show one set to somebody without a key, open it and share its link.</p>
</section>`;
  return { title: 'Sign in', body };
}

/** POST /o/:slug/sign-in. @returns a page that says why not, or undefined when it has answered. */
export async function signIn(
  { store, secret, publicUrl }: PagesOptions,
  { request, response, paths }: { request: Request; response: Response; paths: PagePaths },
): Promise<ResultsPage | undefined> {
  const slug = String(request.params['slug']);
  const next = ownPath(paths, field(request, 'next'));
  if (!isOwnForm(request)) return signInPage(paths, slug, { next, fault: 'This form was sent from another site.' });
  const key = parseKey(field(request, 'key').trim());
  if (key === undefined) {
    return signInPage(paths, slug, { next, fault: 'This is not an API key. Keys begin with ts_live_.' });
  }
  const caller = await authenticate(store.db, key);
  if (caller === undefined || caller.organization.slug !== slug) {
    const fault = 'This key does not open this page: it is unknown, revoked, expired, or of another organization.';
    return signInPage(paths, slug, { next, fault });
  }
  if (!caller.scopes.includes('read'))
    return signInPage(paths, slug, { next, fault: 'This key lacks the scope "read".' });
  const expires = Math.floor(Date.now() / 1000) + SESSION_SECONDS;
  response.cookie(COOKIE, signSession(secret, { slug, keyId: key.id, expires }), {
    ...cookieOptions(publicUrl, paths),
    maxAge: SESSION_SECONDS * 1000,
  });
  response.redirect(303, next);
  return undefined;
}

export function cookieOptions(publicUrl: string, paths: PagePaths) {
  const secure = publicUrl.startsWith('https:');
  return { httpOnly: true, sameSite: 'lax', secure, path: paths.organization } as const;
}

/** A field of a form; '' where it is missing or sent twice. */
export function field(request: Request, name: string): string {
  const body: unknown = request.body;
  if (typeof body !== 'object' || body === null) return '';
  const value: unknown = Object.entries(body).find(([key]) => key === name)?.[1];
  return typeof value === 'string' ? value : '';
}

/** Where to go after a form: a page of this organization, else its list. Never another site's address. */
export function ownPath(paths: PagePaths, next: string): string {
  const known = next === paths.organization || next.startsWith(`${paths.organization}/`);
  return known && /^[A-Za-z0-9/_-]+$/.test(next) && !next.includes('//') ? next : paths.organization;
}
