import { ResultFaultError } from '../../store/creativeResults.ts';
import type { InternalApiOptions } from './options.ts';

/** A result is taken at its word but for this: an address that leads nowhere would be found out by a customer. @throws ResultFaultError */
export async function requireUploads(
  { artifacts }: Pick<InternalApiOptions, 'artifacts'>,
  results: readonly object[],
): Promise<void> {
  const keys = results.flatMap((result) => ('key' in result && typeof result.key === 'string' ? [result.key] : []));
  const isThere = await Promise.all(keys.map((key) => artifacts.exists(key)));
  const missing = keys.find((_key, i) => !isThere[i]);
  if (missing !== undefined) throw new ResultFaultError(`Nothing was uploaded under ${missing}.`);
}
