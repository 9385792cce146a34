/** Signs people in with an OpenID Connect provider: the authorization code flow with PKCE. */
import * as oidc from 'openid-client';
import type { Claims } from '../../core/people/identities.ts';
import { type ClaimRules, readClaims } from './claims.ts';

/** The timeout of each request to the provider. */
const TIMEOUT_SECONDS = 10;
/** Characters of the address at which the provider ends its session. It is in a header. */
const SIGN_OUT_URL_MAX = 3_000;
/** How long the provider's discovery document is used. */
const DISCOVERY_MS = 3_600_000;

export interface ProviderOptions extends ClaimRules {
  /** The issuer, as its discovery document names it. */
  readonly issuer: string;
  readonly clientSecret: string;
  readonly scopes: string;
  /** Where the provider sends people back to. */
  readonly redirectUrl: string;
}

/** The answer to one sign-in must have these. The browser that began it keeps them in a signed cookie. */
export interface Expected {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

export interface Provider {
  /** @throws Error if the provider does not answer. */
  start(): Promise<{ url: string; expected: Expected }>;
  /** @param query of the request that came back. @throws Error for an answer that fails one of the checks. */
  finish(query: string, expected: Expected): Promise<Claims & { idToken: string }>;
  /** @returns where the provider ends its own session; undefined if it offers no such address. @throws Error as `start`. */
  signOutUrl(idToken: string, returnTo: string): Promise<string | undefined>;
}

export function createProvider(options: ProviderOptions): Provider {
  const { redirectUrl, scopes } = options;
  const configuration = cached(() => discover(options));
  return {
    async start() {
      const expected = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
      };
      const url = oidc.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUrl,
        scope: scopes,
        state: expected.state,
        nonce: expected.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(expected.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, expected };
    },
    async finish(query, { state, nonce, verifier }) {
      const config = await configuration();
      // Also checks `iss` in the answer (RFC 9207) and issuer, audience, time, nonce and signature of the ID token.
      const tokens = await oidc
        .authorizationCodeGrant(config, new URL(`${redirectUrl}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        .catch(explain);
      const claims = tokens.claims();
      if (claims === undefined || tokens.id_token === undefined)
        throw new Error('unreachable: the answer has an ID token');
      const info = await userInfo(config, tokens.access_token, claims.sub);
      return { ...readClaims(claims, info, options), idToken: tokens.id_token };
    },
    async signOutUrl(idToken, returnTo) {
      const config = await configuration();
      if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
      const wanted = { client_id: options.clientId, post_logout_redirect_uri: returnTo };
      const { href } = oidc.buildEndSessionUrl(config, { ...wanted, id_token_hint: idToken });
      // Proxies bound the headers of an answer, often by 4 KiB. Without the token, the provider may ask the person.
      return href.length <= SIGN_OUT_URL_MAX ? href : oidc.buildEndSessionUrl(config, wanted).href;
    },
  };
}

/** @returns a function that makes the value when it is needed, again after an hour or a failure. */
function cached<T>(make: () => Promise<T>): () => Promise<T> {
  let [made, until]: [Promise<T> | undefined, number] = [undefined, 0];
  return () => {
    if (made !== undefined && performance.now() < until) return made;
    until = performance.now() + DISCOVERY_MS;
    made = make();
    made.catch(() => {
      until = 0;
    });
    return made;
  };
}

async function discover({ issuer, clientId, clientSecret, tenants }: ProviderOptions): Promise<oidc.Configuration> {
  const [basic, post] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)];
  const authenticate: oidc.ClientAuth = (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: supported } = server;
    return (supported?.includes('client_secret_basic') ?? true) ? basic(server, ...rest) : post(server, ...rest);
  };
  // The setting allows http for this machine only.
  const insecure = issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [];
  const found = await oidc.discovery(new URL(issuer), clientId, undefined, authenticate, {
    timeout: TIMEOUT_SECONDS,
    execute: [oidc.enableNonRepudiationChecks, ...insecure],
  });
  if (tenants.length === 0 && found.serverMetadata().issuer.includes('{tenantid}'))
    throw new Error('OIDC_ISSUER serves all tenants of Entra ID: set OIDC_TENANTS to those that may sign in');
  return found;
}

/** Adds the provider's error description if it answered with an error. @throws Error */
function explain(error: unknown): never {
  if (!(error instanceof oidc.ResponseBodyError || error instanceof oidc.AuthorizationResponseError)) throw error;
  const description = error.error_description === undefined ? '' : ` (${error.error_description})`;
  throw new Error(`it reported ${error.error}${description}`, { cause: error });
}

/** Many providers return the address and groups only there. */
async function userInfo(config: oidc.Configuration, accessToken: string, subject: string) {
  if (config.serverMetadata().userinfo_endpoint === undefined) return {};
  return oidc.fetchUserInfo(config, accessToken, subject);
}
