/** Reads the claims of a provider about a person: from the ID token, which it signs, and from its userinfo endpoint. */
import type { IDToken } from 'openid-client';
import type { Claims } from '../../core/people/identities.ts';
import { readEmail } from '../../core/people/users.ts';
import type { UnknownGroups } from '../../domain/signIns.ts';
import { lowerCase, textFault } from '../../domain/text.ts';

type ClaimSet = Readonly<Record<string, unknown>>;

/** Characters of a subject (OpenID Connect Core, section 2). */
const SUBJECT_MAX = 255;

export interface ClaimRules {
  readonly clientId: string;
  /** The claim with the names of groups. */
  readonly groupsClaim: string;
  /** The tenants whose people may sign in; all if empty. */
  readonly tenants: readonly string[];
}

/**
 * @param token after all checks of the protocol. @param info the answer of the userinfo endpoint, about the same subject.
 * @throws Error for a token for another client, of another tenant, or with a subject that cannot be stored
 */
export function readClaims(
  token: ClaimSet & Pick<IDToken, 'iss' | 'sub'>,
  info: ClaimSet,
  { clientId, groupsClaim, tenants }: ClaimRules,
): Claims {
  requireSubject(token.sub);
  const { azp, tid, hd } = token;
  if (azp !== undefined && azp !== clientId) throw new Error(`it is for another client: azp is ${String(azp)}`);
  requireTenant(tid ?? hd, tenants);
  const sources = [token, info];
  return {
    issuer: token.iss,
    subject: token.sub,
    email: verifiedEmail(sources),
    name: firstText(sources, 'name') ?? firstText(sources, 'preferred_username'),
    groups: groupsOf(sources, groupsClaim),
  };
}

function requireSubject(subject: string): void {
  const fault = subject.length > SUBJECT_MAX ? `must have at most ${SUBJECT_MAX} characters` : textFault(subject);
  if (fault !== undefined) throw new Error(`the claim sub ${fault.replace(/\.$/, '')}`);
}

/** Entra names the tenant in `tid`, and Google the organization in `hd`. Only the ID token is signed. */
function requireTenant(tenant: unknown, tenants: readonly string[]): void {
  if (tenants.length === 0) return;
  if (typeof tenant !== 'string')
    throw new Error('the account belongs to no tenant, and OIDC_TENANTS lists those that may sign in');
  if (tenants.includes(lowerCase(tenant) ?? tenant)) return;
  throw new Error(`the tenant ${tenant} of the account may not sign in here; OIDC_TENANTS lists those that may`);
}

/**
 * The address and its verified flag come from one source. A provider may put the address that a person typed into one
 * source, and have verified a different address. Some providers, for example Cognito, send the flag as text.
 */
function verifiedEmail(sources: readonly ClaimSet[]): string | undefined {
  const { email, email_verified: verified } =
    sources.find((one) => one['email'] !== undefined && one['email_verified'] !== undefined) ?? {};
  const isVerified = verified === true || verified === 'true';
  return isVerified && typeof email === 'string' ? readEmail(email) : undefined;
}

/** Some providers send a single group as text. Entra replaces a long list by the address of another service. */
function groupsOf(sources: readonly ClaimSet[], claim: string): readonly string[] | UnknownGroups {
  const groups = sources.map((one) => one[claim]).find((value) => value !== undefined && value !== null);
  if (Array.isArray(groups)) return groups.filter((one) => typeof one === 'string');
  if (typeof groups === 'string') return groups === '' ? [] : [groups];
  if (groups !== undefined) return 'groups_malformed';
  return sources.some((one) => isReplaced(one, claim)) ? 'groups_replaced' : 'groups_missing';
}

function isReplaced({ _claim_names: names }: ClaimSet, claim: string): boolean {
  return typeof names === 'object' && names !== null && Object.hasOwn(names, claim);
}

function firstText(sources: readonly ClaimSet[], name: string): string | undefined {
  return sources.map((one) => one[name]).find((value): value is string => typeof value === 'string' && value !== '');
}
