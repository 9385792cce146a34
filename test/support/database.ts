import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import type { TestServer } from './globalPostgres.ts';
import { databaseUrl, runStatement, waitForConnections } from './runStatement.ts';

export interface TestDatabase {
  /** The address of a migrated database that only this test uses. */
  readonly url: string;
  /** Drops the database and ends open connections to it. */
  close(): Promise<void>;
}

/** A fresh database; the first call of a run waits for the server to start. */
export async function testDatabase(): Promise<TestDatabase> {
  const response = await fetch(inject('postgresBroker'), { signal: AbortSignal.timeout(280_000) });
  if (!response.ok) throw new Error(`No PostgreSQL for this test: ${await response.text()}`);
  const server = (await response.json()) as TestServer;
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  const { template, strategy } = server;
  await runStatement(server.url, `create database ${name} template ${template} strategy ${strategy}`);
  return {
    url: databaseUrl(server.url, name),
    close: async () => {
      // A pool that was closed ends its connections a moment later. One that the server ends instead is an uncaught error.
      await runStatement(server.url, waitForConnections(name));
      await runStatement(server.url, `drop database if exists ${name} with (force)`);
    },
  };
}
