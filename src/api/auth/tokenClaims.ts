/** What a token of a service account says of itself. It proves nothing: whoever asks decides only what is not worth asking the API server. */
import { z } from 'zod';

export interface Claims {
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

/** @returns undefined for what is no JSON Web Token of this kind. */
export function readClaims(token: string): Claims | undefined {
  const parts = token.split('.');
  if (parts.length !== 3 || token.length > MAX_CHARACTERS) return undefined;
  try {
    const { aud, sub, exp } = Payload.parse(JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8')));
    return { audiences: aud, subject: sub, expiresAtMs: exp * 1_000 };
  } catch {
    return undefined;
  }
}
