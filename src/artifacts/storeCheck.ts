import { randomUUID } from 'node:crypto';
import { cachedCheck } from '../lib/cachedCheck.ts';
import { errorMessage, errorName } from '../lib/errorMessage.ts';
import type { ArtifactStore } from './store.ts';

const KEY = 'health/check.txt';
const BYTES = Buffer.from('ok');
const TYPE = 'text/plain; charset=utf-8';

/**
 * @returns a function that stores a small artifact, at most once a minute as long as it succeeds.
 * @throws Error (the function) with the answer of the store.
 */
export function createStoreCheck(artifacts: Pick<ArtifactStore, 'put'>, now?: () => number) {
  return cachedCheck(() => step('does not accept files', artifacts.put(KEY, BYTES, TYPE)), now);
}

/** Stores an artifact of its own, reads it and deletes it. @throws Error with the answer of the store. */
export async function probeStore(artifacts: Pick<ArtifactStore, 'put' | 'get' | 'delete'>): Promise<void> {
  const key = `health/probe-${randomUUID()}.txt`;
  await step('does not accept files', artifacts.put(key, BYTES, TYPE));
  const { bytes } = await step('does not return files', artifacts.get(key));
  await step('does not delete files', artifacts.delete(key));
  if (!bytes.equals(BYTES)) throw new Error('the artifact store returned other bytes than it was given');
}

async function step<T>(what: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const name = errorName(error) === 'Error' ? '' : `${errorName(error)}: `;
    throw new Error(`the artifact store ${what}: ${name}${errorMessage(error)}`, { cause: error });
  }
}
