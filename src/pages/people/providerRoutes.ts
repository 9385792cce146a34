/** Signing in with the provider. */
import type { Request } from 'express';
import type { Expected, Provider } from '../../api/auth/provider.ts';
import { takeTokens } from '../../api/limits/requestLimits.ts';
import { callerNetwork } from '../../api/server/caller.ts';
import { type Claims, type MembershipRule, signInByClaims, unknownByRule } from '../../core/people/identities.ts';
import type { Queryable } from '../../db/database.ts';
import { tooMany } from '../../domain/failure.ts';
import { UNKNOWN_GROUPS, type UnknownGroups } from '../../domain/signIns.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import { hmacOf, isSameSignature } from '../../lib/hmac.ts';
import { html } from '../../lib/html.ts';
import type { RateLimit } from '../../lib/rateLimiter.ts';
import type { ResultsPage } from '../parts/context.ts';
import { clearCookie, cookiesOf, setCookie } from '../parts/cookies.ts';
import { withNotice } from '../parts/forms.ts';
import { notePage } from '../parts/layout.ts';
import { pathsOf, rootPath } from '../parts/paths.ts';
import type { PageRoutes } from '../routes/pageRoutes.ts';
import { signInWays, waysOf } from '../signIn/ways.ts';
import { ownPage, startPersonSession } from './personSession.ts';

/** Holds what the answer of the provider must have, for the browser that began. */
const FLOW_COOKIE = 'tearsheet_signing_in';
const FLOW_MS = 10 * 60_000;

interface Flow extends Expected {
  readonly next: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Sign-ins with the provider from one network. An office has one address. All processes share the limit. */
const OF_NETWORK: RateLimit = { perSecond: 1, burst: 200 };

/** Limits how often strangers can make the service call the provider. @throws Failure (429) */
async function takeOfNetwork(db: Queryable, request: Request): Promise<void> {
  const bucket = { key: `sign-ins with the provider from ${callerNetwork(request)}`, limit: OF_NETWORK, cost: 1 };
  if ((await takeTokens(db, bucket)).allowed) return;
  throw tooMany('rate_limit', 'Too many sign-ins came from your network. Try again in a moment.', 2);
}

export function addProviderRoutes({ options, router, send }: PageRoutes): void {
  const { provider, secret, publicUrl, log, countSignIn, membershipRules = [] } = options;
  if (provider === undefined) return;
  const paths = pathsOf(publicUrl, '');
  const cookie = { publicUrl, path: rootPath(paths) };
  const missing = new Set<string>();
  const warnOnce = (organization: string) => {
    if (missing.has(organization)) return;
    missing.add(organization);
    log.warn({ organization }, 'a rule in MEMBERSHIP_RULES names an organization that does not exist');
  };
  const failed = (text: string, status: number): ResultsPage =>
    notePage('You are not signed in', html`<p>${text}</p>${signInWays(paths, waysOf(options), { next: '' })}`, status);
  router.get('/sign-in/provider', async (request, response) => {
    await takeOfNetwork(options.store.db, request);
    const started = await provider.start().catch((error: unknown) => {
      log.warn({ err: error }, 'the OpenID Connect provider did not answer; check OIDC_ISSUER');
      countSignIn?.('provider', 'failed');
      return undefined;
    });
    if (started === undefined) {
      send(response, failed('Your identity provider is not responding. Try again in a moment.', 503), { paths });
      return;
    }
    const flow: Flow = {
      ...started.expected,
      next: ownPage(paths, request.query['next']),
      until: Date.now() + FLOW_MS,
    };
    setCookie(response, FLOW_COOKIE, { ...cookie, value: sealFlow(secret, flow), maxAge: FLOW_MS });
    response.redirect(303, started.url);
  });
  router.get('/sign-in/callback', async (request, response) => {
    clearCookie(response, FLOW_COOKIE, cookie);
    const flows = cookiesOf(request, FLOW_COOKIE).flatMap((sealed) => openFlow(secret, sealed) ?? []);
    const flow = flows.find(({ state }) => state === request.query['state']) ?? flows[0];
    if (flow === undefined) {
      const text = 'This browser did not begin a sign-in within the last ten minutes. Start again.';
      send(response, failed(text, 400), { paths });
      return;
    }
    await takeOfNetwork(options.store.db, request);
    const claims = await finish(provider, request.url, flow).catch((error: unknown) => {
      log.warn({ err: error }, 'a sign-in with the provider failed');
      countSignIn?.('provider', 'failed');
      return errorMessage(error);
    });
    if (typeof claims === 'string') {
      send(response, failed(`The response of the identity provider was not accepted: ${claims}.`, 401), { paths });
      return;
    }
    const reason = unknownGroups(membershipRules, claims);
    const to = await options.store.db.transaction().execute(async (tx) => {
      const userId = await signInByClaims(tx, claims, membershipRules, warnOnce);
      if (reason !== undefined)
        log.warn(
          { user_id: userId, reason: UNKNOWN_GROUPS[reason] },
          'a sign-in did not include the groups of the person',
        );
      if (userId === undefined) return undefined;
      const session = { userId, method: 'provider', idToken: claims.idToken, next: ownPage(paths, flow.next) } as const;
      return startPersonSession(tx, options, { request, response, paths }, session);
    });
    countSignIn?.('provider', to === undefined ? 'refused' : 'signed_in');
    if (to !== undefined) {
      response.redirect(303, reason === undefined ? to : withNotice(to, reason));
      return;
    }
    send(response, failed(refusalOf(claims, reason), 403), { paths });
  });
}

/** @returns why no rule about groups could be applied; undefined if they were, or if there is none. */
function unknownGroups(rules: readonly MembershipRule[], claims: Claims): UnknownGroups | undefined {
  return typeof claims.groups === 'string' && unknownByRule(rules, claims).length > 0 ? claims.groups : undefined;
}

function refusalOf({ email }: Claims, reason: UnknownGroups | undefined): string {
  const who = email === undefined ? 'without a verified e-mail address' : `with the address ${email}`;
  const why = reason === undefined ? '' : ` ${UNKNOWN_GROUPS[reason]}`;
  const advice = 'Ask an owner of your organization for an invitation.';
  return `You signed in at the provider, ${who}. But no organization has invited you, and no rule gives you a role.${why} ${advice}`;
}

const finish = (provider: Provider, url: string, flow: Flow) => provider.finish(url.split('?')[1] ?? '', flow);

function sealFlow(secret: Buffer, flow: Flow): string {
  const text = Buffer.from(JSON.stringify(flow)).toString('base64url');
  return `${text}.${sign(secret, text)}`;
}

/** @returns undefined for a text that this service did not sign, or that is too old. */
function openFlow(secret: Buffer, sealed: string): Flow | undefined {
  const [text = '', signature = ''] = sealed.split('.');
  if (!isSameSignature(signature, sign(secret, text))) return undefined;
  const flow: Flow = JSON.parse(Buffer.from(text, 'base64url').toString());
  return flow.until > Date.now() ? flow : undefined;
}

const sign = (secret: Buffer, text: string) => hmacOf(secret, `pages\nsigning in\n${text}`);
