import { openStore, type Store } from '../../src/store/database/database.ts';
import { testDatabase } from './database.ts';

/** A store on a database that nobody else uses; closing it drops the database. */
export async function ownStore(): Promise<Store> {
  const database = await testDatabase();
  const store = openStore({ url: database.url });
  const close = async () => {
    await store.close();
    await database.close();
  };
  return { ...store, close };
}
