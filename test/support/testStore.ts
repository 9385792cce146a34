import { openStore, type Store } from '../../src/db/database.ts';
import { testDatabase } from './database.ts';
import { TEST_KEY_RING } from './testKeys.ts';

/** A store on a database of its own. Closing the store drops the database. */
export async function testStore(): Promise<Store> {
  const database = await testDatabase();
  const store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
  const close = async () => {
    await store.close();
    await database.close();
  };
  return { ...store, close };
}
