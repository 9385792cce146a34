/** Reads the claims of a service account token without checking its signature. They only show which tokens need no TokenReview. */
import { z } from 'zod';

export interface TokenClaims {
  readonly audiences: readonly string[];
  readonly subject: string;
  readonly expiresAtMs: number;
}

const Payload = z.object({
  aud: z.union([z.string().transform((one) => [one]), z.array(z.string())]),
  sub: z.string(),
  exp: z.number(),
});

const MAX_CHARACTERS = 8_192;

/** @returns undefined if the text is not a JSON Web Token with these claims. */
export function readTokenClaims(token: string): TokenClaims | undefined {
  const parts = token.split('.');
  if (parts.length !== 3 || token.length > MAX_CHARACTERS) return undefined;
  try {
    const { aud, sub, exp } = Payload.parse(JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8')));
    return { audiences: aud, subject: sub, expiresAtMs: exp * 1_000 };
  } catch {
    return undefined;
  }
}
