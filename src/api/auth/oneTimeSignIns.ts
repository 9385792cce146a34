/** Links that sign in once, for the person who started the service and reads its output. Only this process knows them. */
import { randomBytes } from 'node:crypto';

const VALID_MS = 10 * 60_000;

interface SignInLink {
  readonly slug: string;
  readonly keyId: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

export class OneTimeSignIns {
  readonly #links = new Map<string, SignInLink>();

  /** @returns the token of a link that signs in with this key once, within ten minutes. */
  create(key: Pick<SignInLink, 'slug' | 'keyId'>): string {
    const token = randomBytes(24).toString('base64url');
    this.#links.set(token, { ...key, expires: Date.now() + VALID_MS });
    return token;
  }

  /** Uses the link up. @returns undefined if it is unknown, used, expired or of another organization. */
  take(slug: string, token: string): SignInLink | undefined {
    const link = this.#links.get(token);
    if (link?.slug !== slug) return undefined;
    this.#links.delete(token);
    return link.expires > Date.now() ? link : undefined;
  }
}
