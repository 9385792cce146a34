/** Steps that the writers of Jobs and of ScreenshotJobs share. */
import { RefusedError } from '../../port.ts';
import type { CachedObject, ObjectCache } from '../cache/objectCache.ts';
import { ApiError, isConflict, isNamespaceEnding, isNotFound } from '../client/apiError.ts';
import type { ResourceClient, Wire } from '../client/resourceClient.ts';

/**
 * Turns a rejected create into a RefusedError with its reason.
 * @param codes status codes that reject the object itself. All other errors are returned as they are.
 */
export function asRefusedError(error: unknown, codes: readonly number[]): unknown {
  const isRejection = error instanceof ApiError && codes.includes(error.code) && !isNamespaceEnding(error);
  if (!isRejection) return error;
  const reason = error.message.includes('exceeded quota') ? 'QuotaExceeded' : 'PodRejected';
  return new RefusedError(reason, error.message);
}

export interface DeleteOptions<Source, T extends CachedObject> {
  readonly client: ResourceClient<Source>;
  readonly cache: ObjectCache<T>;
  readonly read: (object: Wire<Source>) => T;
  /** Foreground: the object stays, as deleting, until the objects that it owns are gone. */
  readonly propagationPolicy: 'Foreground' | 'Background';
}

/** Deletes the object with this uid. It is no error if the object is gone or another object has its name. */
export async function deleteObject<Source, T extends CachedObject>(
  { name, uid }: Pick<CachedObject, 'name' | 'uid'>,
  { client, cache, read, propagationPolicy }: DeleteOptions<Source, T>,
): Promise<void> {
  try {
    const remaining = await client.delete(name, { propagationPolicy, preconditions: { uid } });
    if (remaining === undefined) cache.markDeleted({ name, uid });
    else cache.addWritten(read(remaining));
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
    cache.markDeleted({ name, uid });
  }
}
