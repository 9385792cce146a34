/** Deletes an object, if it is the one that was seen. */

import type { ObjectStore, Stored } from '../cache/objectStore.ts';
import { isConflict, isNotFound } from '../client/apiError.ts';
import type { ApiServer } from '../client/apiServer.ts';

export interface RemoveOptions<T extends Stored> {
  readonly api: ApiServer;
  readonly path: string;
  readonly store: ObjectStore<T>;
  readonly read: (object: unknown) => T;
  /** Foreground: it stays, as deleting, until what it owns is gone. */
  readonly propagationPolicy: 'Foreground' | 'Background';
}

export async function remove<T extends Stored>(
  seen: Pick<Stored, 'name' | 'uid'>,
  { api, path, store, read, propagationPolicy }: RemoveOptions<T>,
): Promise<void> {
  const preconditions = { uid: seen.uid };
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy, preconditions };
  try {
    const answer = await api.call({ verb: 'delete', path: `${path}/${seen.name}`, body });
    // The object, where something holds it; otherwise only that it was done.
    if (isObject(answer) && answer.kind !== 'Status') store.assume(read(answer));
    else store.forget(seen);
  } catch (error) {
    // Gone, or another one has its name.
    if (!isNotFound(error) && !isConflict(error)) throw error;
    store.forget(seen);
  }
}

function isObject(answer: unknown): answer is { readonly kind?: string } {
  return typeof answer === 'object' && answer !== null;
}
