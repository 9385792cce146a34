import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs } from 'kysely';
import type { KeyRing } from '../lib/keyRing.ts';

/**
 * Carries the key ring with the database and its transactions, and changes no query. So a query function that reads or
 * writes a secret finds the keys of its database, and no other function needs to pass them.
 */
export class KeyRingPlugin implements KyselyPlugin {
  readonly keyRing: KeyRing;

  constructor(keyRing: KeyRing) {
    this.keyRing = keyRing;
  }

  transformQuery({ node }: PluginTransformQueryArgs) {
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    return result;
  }
}
