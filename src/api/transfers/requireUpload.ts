import type { ArtifactStore } from '../../artifacts/store.ts';
import { ResultFaultError } from '../../workflow/creativeResults.ts';

interface Reported {
  readonly key: string;
  readonly bytes: number;
}

/**
 * Checks that a reported picture was uploaded, because a customer would follow a link that leads nowhere. The store compared the bytes
 * with the SHA-256 in the key when they were sent. @throws ResultFaultError
 */
export async function requireUpload(artifacts: Pick<ArtifactStore, 'sizeOf'>, { key, bytes }: Reported): Promise<void> {
  const size = await artifacts.sizeOf(key);
  if (size === undefined) throw new ResultFaultError(`Nothing was uploaded under ${key}.`);
  if (size !== bytes) throw new ResultFaultError(`Under ${key} there are ${size} bytes, not ${bytes}.`);
}
