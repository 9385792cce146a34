/** A cluster that will not have an object, told apart from one that cannot be asked. */
import { RefusedError } from '../../port.ts';
import { ApiError, isNamespaceEnding } from '../client/apiError.ts';

/** What a create failed with, as the controller is to know it. @param codes that are an answer to the object itself. */
export function refusalOf(error: unknown, codes: readonly number[]): unknown {
  const isRefusal = error instanceof ApiError && codes.includes(error.code) && !isNamespaceEnding(error);
  if (!isRefusal) return error;
  const reason = error.message.includes('exceeded quota') ? 'QuotaExceeded' : 'PodRejected';
  return new RefusedError(reason, error.message);
}
