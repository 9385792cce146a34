import type { ArtifactStore } from '../../artifacts/store.ts';
import { ResultFaultError } from '../../core/jobs/creativeResults.ts';

interface ReportedPicture {
  readonly key: string;
  readonly bytes: number;
}

/**
 * Checks that a reported picture was uploaded, because a customer would otherwise get a broken link. The artifact store compared the bytes
 * with the SHA-256 in the key during the upload. @throws ResultFaultError
 */
export async function requireUpload(
  artifacts: Pick<ArtifactStore, 'sizeOf'>,
  { key, bytes }: ReportedPicture,
): Promise<void> {
  const size = await artifacts.sizeOf(key);
  if (size === undefined) throw new ResultFaultError(`Nothing was uploaded under ${key}.`);
  if (size !== bytes) throw new ResultFaultError(`${key} has ${size} bytes, but ${bytes} were reported.`);
}
