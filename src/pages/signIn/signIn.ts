/** Signs a person in with an API key. The cookie contains the id of the key, never the key. */
import type { Request, Response } from 'express';
import { createKeyChecker } from '../../api/limits/keyChecker.ts';
import { actorOf } from '../../api/server/caller.ts';
import { recordAction } from '../../core/journal/auditLogQueries.ts';
import { parseKey } from '../../domain/keys.ts';
import { type Html, html } from '../../lib/html.ts';
import { button } from '../parts/components.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { setCookie } from '../parts/cookies.ts';
import { textField } from '../parts/formFields.ts';
import { formField, isSameOrigin, redirectPath, withNotice } from '../parts/forms.ts';
import type { PagePaths } from '../parts/paths.ts';
import { COOKIE, newSessionId, rememberHome, signSession } from './viewer.ts';
import { hasWays, signInWays, type Ways, waysOf } from './ways.ts';

const SESSION_SECONDS = 12 * 3_600;

interface SignInForm {
  /** The page to open afterwards. */
  readonly next: string;
  readonly ways: Ways;
  /** The name of a person who is signed in, and is no member of the organization. */
  readonly stranger?: string | undefined;
  readonly fault?: string;
  /** Whether the person sent a form after the session had ended. */
  readonly lostForm?: boolean;
}

export function signInPage(
  paths: PagePaths,
  slug: string,
  { next, ways, stranger, fault, lostForm = false }: SignInForm,
): ResultsPage {
  const key = {
    name: 'key',
    label: 'API key',
    type: 'password',
    isRequired: true,
    autocomplete: 'current-password',
    placeholder: 'ts_live_…',
    more: !hasWays(ways) && html` autofocus`,
    hint: 'The service checks the key and does not store it. The browser keeps only its id, for twelve hours.',
  } as const;
  const keyForm = html`<form method="post" action="${paths.organization}/sign-in">
    <input type="hidden" name="next" value="${next}">
    ${lostForm && html`<input type="hidden" name="lost" value="1">`}
    ${textField(key, { values: {}, errors: fault === undefined ? {} : { key: [fault] } })}
    ${button({ label: 'Sign in', ...(!hasWays(ways) && { kind: 'primary' as const }) })}
  </form>
  <details>
    <summary>I do not have a key</summary>
    <p class="hint">Ask the operator of this service, who creates one with <code>tearsheet key create ${slug}</code>.
      To show pictures to a person without a key, open the set and share it.</p>
  </details>`;
  const others = html`<details${fault !== undefined && html` open`}><summary>Other ways</summary>${keyForm}</details>`;
  const after = lostForm ? withNotice(next, 'not_sent') : next;
  const body = html`<section class="signin"><h1>Sign in to ${slug}</h1>
${stranger !== undefined && strangerNote(stranger, paths)}
${lostForm && LOST_FORM}
${hasWays(ways) ? html`${signInWays(paths, ways, { next: after })}${others}` : keyForm}</section>`;
  return { title: 'Sign in', body, status: lostForm ? 401 : 200 };
}

const LOST_FORM = html`<p class="note fault" role="alert">Your session has ended, so the form changed nothing.
  Sign in to return to its page, then send it again.</p>`;

function strangerNote(name: string, paths: PagePaths): Html {
  const account = html`<a href="${paths.base}/account">Your account</a> lists your organizations.`;
  return html`<p class="note">You are signed in as <bdi>${name}</bdi>, who is not a member of this organization. ${account}</p>`;
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
    page: signInPage(paths, slug, { next, lostForm, fault, ways: waysOf(options) }),
    refusal: { slug, reason, keyId: key?.id },
  });
  if (!isSameOrigin(request)) return refuse('This form was sent from another site.', 'form of another site');
  if (key === undefined) return refuse('This is not an API key. Keys begin with ts_live_.', 'malformed key');
  const { store, keyChecker = createKeyChecker({ db: store.db }) } = options;
  const caller = await keyChecker.find(request, key);
  if (caller === undefined || caller.organization.slug !== slug) {
    const fault = 'This key is not valid here: it is unknown, revoked, expired, or from another organization.';
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
  await recordAction(store.db, actor, { action: 'session.started', of: { organizationId, id } });
  setCookie(response, COOKIE, {
    value: signSession(secret, { slug, keyId, expires, id }),
    maxAge: SESSION_SECONDS * 1000,
    publicUrl,
    path: paths.organization,
  });
  rememberHome(response, slug, { publicUrl, paths });
}
