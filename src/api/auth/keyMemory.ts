import type { ParsedKey } from '../../domain/keys.ts';
import type { KeyHolder } from '../../store/organizations/apiKeys.ts';
import { matchesSecret, sha256 } from '../../store/organizations/secrets.ts';

const KEPT_MS = 1_000;
const MOST = 10_000;

interface Kept {
  readonly caller: KeyHolder;
  readonly secretSha256: Buffer;
  readonly at: number;
}

/**
 * Keys that were valid within the last second. A handler that relies on it lets the statement that stores something check again.
 */
export class KeyMemory {
  readonly #kept = new Map<string, Kept>();

  find({ id, secret }: ParsedKey): KeyHolder | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined || performance.now() - kept.at > KEPT_MS) return undefined;
    return matchesSecret(secret, kept.secretSha256) ? kept.caller : undefined;
  }

  keep({ secret }: ParsedKey, caller: KeyHolder): void {
    if (this.#kept.size >= MOST) this.#kept.clear();
    this.#kept.set(caller.keyId, { caller, secretSha256: sha256(secret), at: performance.now() });
  }

  forget(keyId: string): void {
    this.#kept.delete(keyId);
  }
}
