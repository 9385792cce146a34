/** Reads what a provider says about a person: in the ID token, which it signs, and at its userinfo endpoint. */
import type { IDToken } from 'openid-client';
import { z } from 'zod';
import type { Claims } from '../../core/people/identities.ts';
import { readEmail } from '../../core/people/users.ts';

type ClaimSet = Readonly<Record<string, unknown>>;

const Text = z.string().min(1).optional().catch(undefined);
const Names = z.array(z.string()).catch([]);

/** @param token after all checks of the protocol. @param info the answer of the userinfo endpoint, about the same subject. */
export function readClaims(
  token: ClaimSet & Pick<IDToken, 'iss' | 'sub'>,
  info: ClaimSet,
  groupsClaim: string,
): Claims {
  const sources = [token, info];
  return {
    issuer: token.iss,
    subject: token.sub,
    email: verifiedEmail(sources),
    name: firstText(sources, 'name') ?? firstText(sources, 'preferred_username'),
    groups: Names.parse(token[groupsClaim] ?? info[groupsClaim]),
  };
}

/**
 * The address and the word that it is verified come from one source. A provider may put the address that a person typed into one
 * source, and have verified another one. Some providers, for example Cognito, write the word as text.
 */
function verifiedEmail(sources: readonly ClaimSet[]): string | undefined {
  const { email, email_verified: verified } =
    sources.find((one) => one['email'] !== undefined && one['email_verified'] !== undefined) ?? {};
  const isVerified = verified === true || verified === 'true';
  return isVerified && typeof email === 'string' ? readEmail(email) : undefined;
}

function firstText(sources: readonly ClaimSet[], name: string): string | undefined {
  return sources.map((one) => Text.parse(one[name])).find((text) => text !== undefined);
}
