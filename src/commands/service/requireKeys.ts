import { ConfigError } from '../../config.ts';
import type { Database } from '../../db/database.ts';
import { keyRingOf } from '../../db/secrets/sealing.ts';
import { storedKeyIds } from '../../db/secrets/storedSecrets.ts';
import { missingKey } from '../../lib/keyRing.ts';

/** @throws ConfigError if stored secrets need a key that this process does not have. */
export async function requireKeys(db: Database): Promise<void> {
  const keyRing = keyRingOf(db);
  const missing = (await storedKeyIds(db)).find((id) => !keyRing.has(id));
  if (missing !== undefined) throw new ConfigError(missingKey(missing, 'this installation'));
}
