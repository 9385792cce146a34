import { KeyRing } from '../../src/lib/keyRing.ts';

/** SECRETS_KEYS of tests. Processes of one test open each other's secrets. */
export const TEST_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;
export const TEST_KEY_RING = KeyRing.parse(TEST_KEYS);
