import { errorMessage } from '../lib/errorMessage.ts';
import type { ArtifactStore } from './store.ts';

const KEY = 'health/check.txt';
/** A probe asks every few seconds, and each check of a bucket is a paid request. */
const VALID_MS = 60_000;

/**
 * @returns a function that stores a small artifact, at most once a minute as long as it succeeds.
 * @throws Error (the function) with the answer of the store.
 */
export function createStoreCheck(artifacts: Pick<ArtifactStore, 'put'>, now = () => performance.now()) {
  let validUntil = Number.NEGATIVE_INFINITY;
  return async (): Promise<void> => {
    if (now() < validUntil) return;
    const startedAt = now();
    await artifacts.put(KEY, Buffer.from('ok'), 'text/plain; charset=utf-8').catch((error: unknown) => {
      const name = error instanceof Error && error.name !== 'Error' ? `${error.name}: ` : '';
      throw new Error(`the artifact store does not accept files: ${name}${errorMessage(error)}`, { cause: error });
    });
    validUntil = startedAt + VALID_MS;
  };
}
