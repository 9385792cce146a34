/** A PostgreSQL that is no part of the release, and stays while pods come and go: one of this machine, made reachable for pods. */
import { testDatabase } from '../../support/database.ts';
import { forward } from './forward.ts';
import type { Values } from './installation.ts';

export interface OutsidePostgres {
  readonly values: Values;
  close(): Promise<void>;
}

export async function outsidePostgres(): Promise<OutsidePostgres> {
  const database = await testDatabase();
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
