import { loadConfig } from '../config.ts';
import { type Database, openStore } from '../db/database.ts';
import { requireKeys } from './service/requireKeys.ts';

/** Runs an operator's command on the database of DATABASE_URL. @throws ConfigError */
export async function withStore<T>(run: (db: Database) => Promise<T>): Promise<T> {
  const { DATABASE_URL: url, SECRETS_KEYS: keyRing } = loadConfig(process.env, ['DATABASE_URL', 'SECRETS_KEYS']);
  const store = openStore({ url, maxConnections: 1, keyRing });
  try {
    await requireKeys(store.db);
    return await run(store.db);
  } finally {
    await store.close();
  }
}

/** Prints an object as one JSON line, or as lines of name and value. */
export function print(values: Readonly<Record<string, unknown>>, json: boolean): void {
  if (json) {
    console.log(JSON.stringify(values));
    return;
  }
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  for (const [name, value] of Object.entries(values)) console.log(`${name.padEnd(width)}  ${String(value ?? '')}`);
}
