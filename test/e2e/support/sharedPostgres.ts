/** A PostgreSQL outside the release: an empty database of the test server, forwarded to an address that pods reach. */
import { testDatabase } from '../../support/database.ts';
import { runStatement } from '../../support/runStatement.ts';
import { forward } from './forward.ts';
import type { Values } from './helmInstallation.ts';

export interface SharedPostgres {
  readonly values: Values;
  close(): Promise<void>;
}

export async function sharedPostgres(): Promise<SharedPostgres> {
  const database = await testDatabase();
  // The installed version, which may be an earlier one, makes the tables.
  await runStatement(database.url, 'drop schema public cascade; create schema public');
  const url = new URL(database.url);
  const reachable = await forward(Number(url.port));
  url.host = new URL(reachable.url).host;
  return {
    values: { trial: { postgres: { enabled: false } }, database: { url: url.href } },
    async close() {
      await reachable.close();
      await database.close();
    },
  };
}
