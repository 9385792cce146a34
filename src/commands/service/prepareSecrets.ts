import { ConfigError } from '../../config.ts';
import { missingKey } from '../../lib/keyRing.ts';
import type { Log } from '../../lib/log.ts';
import type { Database } from '../../store/database/database.ts';
import { keyRingOf } from '../../store/secrets/sealing.ts';
import { sealStored, storedKeyIds } from '../../store/secrets/sealStored.ts';

/**
 * Seals secrets that were stored before there was a key. It does not seal secrets of another key again, because other
 * processes may not have the new key yet: `tearsheet secrets rotate` does that.
 * @throws ConfigError if stored secrets need a key that this process does not have.
 */
export async function prepareSecrets(db: Database, log: Log): Promise<void> {
  const keyRing = keyRingOf(db);
  await requireKeys(db);
  if (keyRing === undefined) {
    log.warn({}, 'SECRETS_KEYS is not set: secrets of webhooks and connectors are stored without encryption');
    return;
  }
  const sealed = await sealStored(db, { which: 'unsealed' });
  if (sealed > 0)
    log.debug({ sealed, key: keyRing.currentId }, 'encrypted secrets that were stored without encryption');
}

/** Without the keys, a process would store new secrets unsealed beside sealed ones. @throws ConfigError */
export async function requireKeys(db: Database): Promise<void> {
  const keyRing = keyRingOf(db);
  const missing = (await storedKeyIds(db)).find((id) => keyRing?.has(id) !== true);
  if (missing !== undefined) throw new ConfigError(missingKey(missing, 'this installation'));
}
