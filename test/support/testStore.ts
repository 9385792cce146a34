import { openStore, type Store } from '../../src/store/database/database.ts';
import { testDatabase } from './database.ts';

/** A store on a database of its own. Closing the store drops the database. */
export async function testStore(): Promise<Store> {
  const database = await testDatabase();
  const store = openStore({ url: database.url });
  const close = async () => {
    await store.close();
    await database.close();
  };
  return { ...store, close };
}
