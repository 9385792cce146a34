/** Signing in with a link that is sent by e-mail, or that the operator's command line made. */
import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { takeTokens } from '../../api/limits/requestLimits.ts';
import { callerNetwork } from '../../api/server/caller.ts';
import { hasIdentity } from '../../core/people/identities.ts';
import { signInMail } from '../../core/people/mails.ts';
import { createSignInLink, isSignInLink, LINK_MINUTES, takeSignInLink } from '../../core/people/signInLinks.ts';
import { EMAIL_FAULT, findUserByEmail, readEmail } from '../../core/people/users.ts';
import { tooMany } from '../../domain/failure.ts';
import { html } from '../../lib/html.ts';
import type { RateLimit } from '../../lib/rateLimiter.ts';
import { sha256Bytes } from '../../lib/sha256.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { button } from '../parts/components.ts';
import type { PagesOptions } from '../parts/context.ts';
import { cookiesOf, setCookie } from '../parts/cookies.ts';
import { formField, requireSameOrigin } from '../parts/forms.ts';
import { notePage } from '../parts/layout.ts';
import { pathsOf, rootPath } from '../parts/paths.ts';
import { formBody, type PageRoutes } from '../routes/pageRoutes.ts';
import { hasWays, signInWays, waysOf } from '../signIn/ways.ts';
import { ownPage, startPersonSession } from './personSession.ts';

/** Binds a link to the browser that asked for it. */
const BROWSER_COOKIE = 'tearsheet_browser';
/** Mails to one address from one network and from all, and requests from one network. All processes share the limits. */
const OF_ADDRESS: RateLimit = { perSecond: 1 / 180, burst: 3 };
const OF_ADDRESS_IN_ALL: RateLimit = { perSecond: 1 / 30, burst: 30 };
const OF_NETWORK: RateLimit = { perSecond: 1 / 20, burst: 20 };

export function addLinkRoutes({ options, router, send }: PageRoutes): void {
  const paths = pathsOf(options.publicUrl, '');
  const ways = waysOf(options);
  router.get('/sign-in', (request, response) => {
    const next = ownPage(paths, request.query['next']);
    if (hasWays(ways)) send(response, notePage('Sign in', signInWays(paths, ways, { next })), { paths });
    else response.redirect(302, rootPath(paths));
  });
  const { mailer } = options;
  if (mailer !== undefined)
    router.post('/sign-in/email', formBody(), async (request, response) => {
      requireSameOrigin(request);
      const [typed, next] = [formField(request, 'email'), ownPage(paths, formField(request, 'next'))];
      const email = readEmail(typed);
      if (email === undefined) {
        const typedAgain = { next, email: typed, fault: EMAIL_FAULT };
        send(response, notePage('Sign in', signInWays(paths, ways, typedAgain), 422), { paths });
        return;
      }
      await takeOfNetwork(options, request);
      const browser = cookiesOf(request, BROWSER_COOKIE)[0] ?? randomBytes(32).toString('base64url');
      const { publicUrl } = options;
      const kept = { value: browser, maxAge: LINK_MINUTES * 60_000, publicUrl, path: rootPath(paths) };
      setCookie(response, BROWSER_COOKIE, kept);
      send(response, notePage('Check your e-mail', sentText(email)), { paths });
      const network = callerNetwork(request);
      // After the answer, so that its time does not reveal whether the address is known.
      await sendLink(options, mailer, { email, browser, next, network }).catch((error: unknown) => {
        options.log.warn({ err: error }, 'a link to sign in could not be sent; the person has to ask again');
        options.countSignIn?.('link', 'failed');
      });
    });
  addOpenedLink({ options, router, send });
}

const sentText = (email: string) =>
  html`<p>If <bdi>${email}</bdi> belongs to a member, a link is on its way there.
    Open it in this browser within ${LINK_MINUTES} minutes.</p>
  <p class="hint">No e-mail? Check the address and your spam folder. Only people invited by an organization receive one.</p>`;

/** @throws Failure (429) */
async function takeOfNetwork({ store }: PagesOptions, request: Request): Promise<void> {
  const bucket = { key: `sign-in links for ${callerNetwork(request)}`, limit: OF_NETWORK, cost: 1 };
  if ((await takeTokens(store.db, bucket)).allowed) return;
  const seconds = 1 / OF_NETWORK.perSecond;
  throw tooMany('rate_limit', `Too many links were requested from your network. Try again in ${seconds} s.`, seconds);
}

interface WantedLink {
  readonly email: string;
  readonly browser: string;
  readonly next: string;
  /** The network of the client. */
  readonly network: string;
}

/** Does nothing for an address that is unknown, belongs to a person of the provider, or gets too many mails. */
async function sendLink(
  { store: { db }, publicUrl, provider }: PagesOptions,
  mailer: Mailer,
  { email, browser, next, network }: WantedLink,
): Promise<void> {
  const user = await findUserByEmail(db, email);
  if (user === undefined) return;
  // Only the provider knows to whom the address belongs today. A mail cannot prove it.
  if (provider !== undefined && (await hasIdentity(db, user.id))) return;
  // The table of buckets holds no addresses.
  const key = `sign-in links to ${sha256Bytes(email).toString('base64url')}`;
  const buckets = [
    { key: `${key} from ${network}`, limit: OF_ADDRESS, cost: 1 },
    { key, limit: OF_ADDRESS_IN_ALL, cost: 1 },
  ];
  for (const bucket of buckets) if (!(await takeTokens(db, bucket)).allowed) return;
  const token = await createSignInLink(db, { userId: user.id, browser, next });
  await mailer.send(signInMail(email, `${publicUrl}/sign-in/${token}`));
}

/** The page of a link has a button, because programs that check mails open the links in them. */
function addOpenedLink({ options, router, send }: Pick<PageRoutes, 'options' | 'router' | 'send'>): void {
  const paths = pathsOf(options.publicUrl, '');
  const { db } = options.store;
  const linkOf = (request: Request) => ({
    token: String(request.params['token']),
    browsers: cookiesOf(request, BROWSER_COOKIE),
  });
  const refuse = (response: Response) => {
    const ways = signInWays(paths, waysOf(options), { next: '' });
    const text = html`<p>The link was used already, is older than ${LINK_MINUTES} minutes,
      or was requested in another browser.</p>${ways}`;
    send(response, notePage('This link does not sign you in', text, 410), { paths });
  };
  router.get('/sign-in/:token', async (request, response) => {
    if (!(await isSignInLink(db, linkOf(request)))) return refuse(response);
    const action = `${paths.base}/sign-in/${linkOf(request).token}`;
    const form = html`<form method="post" action="${action}">${button({ label: 'Sign in', kind: 'primary' })}</form>`;
    send(response, notePage('Sign in to Tearsheet', form), { paths });
  });
  router.post('/sign-in/:token', formBody(), async (request, response) => {
    requireSameOrigin(request);
    const to = await db.transaction().execute(async (tx) => {
      const taken = await takeSignInLink(tx, linkOf(request));
      if (taken === undefined) return undefined;
      const session = { userId: taken.user_id, method: 'link', next: ownPage(paths, taken.next) } as const;
      return startPersonSession(tx, options, { request, response, paths }, session);
    });
    options.countSignIn?.('link', to === undefined ? 'refused' : 'signed_in');
    if (to === undefined) return refuse(response);
    response.redirect(303, to);
  });
}
