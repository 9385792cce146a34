import type { Command } from 'commander';
import { keyRingOf } from '../db/secrets/sealing.ts';
import { rotateKeys, storedKeyIds } from '../db/secrets/storedSecrets.ts';
import { newSealingKey } from '../lib/keyRing.ts';
import { withStore } from './withStore.ts';

export function secretsCommand(program: Command): void {
  const secrets = program.command('secrets').description('manage the encryption of stored secrets: key, rotate');
  secrets
    .command('key <id>')
    .description('print a new key with this id for SECRETS_KEYS; needs no database')
    .action((id: string) => console.log(newSealingKey(id)));
  secrets
    .command('rotate')
    .description('encrypt all stored secrets with the first key of SECRETS_KEYS; safe to interrupt and to repeat')
    .action(() =>
      withStore(async (db) => {
        const keyRing = keyRingOf(db);
        const count = await rotateKeys(db, (done) => console.error(`Encrypted ${done} secrets.`));
        console.log(`Encrypted ${count} secrets with key "${keyRing.currentId}".`);
        const others = (await storedKeyIds(db)).filter((id) => id !== keyRing.currentId);
        console.log(
          others.length === 0
            ? 'No stored secret needs another key. You can remove the other keys from SECRETS_KEYS after a day: until then, answers kept for repeated requests need them.'
            : `Stored secrets still need the keys ${others.join(', ')}. Run this command again.`,
        );
      }),
    );
}
