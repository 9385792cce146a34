import type { ArtifactStore } from '../../artifacts/store.ts';
import { ResultFaultError } from '../../store/creativeResults.ts';
import type { Content } from './token.ts';
import { withContent } from './transfers.ts';

interface Reported extends Content {
  readonly key: string;
}

/**
 * A result is taken at its word but for this: what leads nowhere would be found out by a customer. That the bytes are those of the SHA-256 in the
 * key was seen when they were sent. @returns the key under which they are @throws ResultFaultError
 */
export async function findUpload(
  artifacts: Pick<ArtifactStore, 'sizeOf'>,
  { key, sha256, bytes }: Reported,
): Promise<string> {
  // A capture of before names a key without its content, under which an API of before had it sent to the bucket.
  for (const candidate of new Set([withContent(key, sha256), key])) {
    const size = await artifacts.sizeOf(candidate);
    if (size === bytes) return candidate;
    if (size !== undefined) throw new ResultFaultError(`Under ${key} there are ${size} bytes, not ${bytes}.`);
  }
  throw new ResultFaultError(`Nothing was uploaded under ${key}.`);
}
