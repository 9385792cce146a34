import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { administer, databaseUrl } from './administer.ts';
import type { TestServer } from './globalPostgres.ts';

export interface TestDatabase {
  /** Of a migrated database that nobody else uses. */
  readonly url: string;
  /** Drops it, whoever is still connected. */
  close(): Promise<void>;
}

/** A fresh database; the first call of a run waits for the server to start. */
export async function testDatabase(): Promise<TestDatabase> {
  const response = await fetch(inject('postgresBroker'), { signal: AbortSignal.timeout(90_000) });
  if (!response.ok) throw new Error(`No PostgreSQL for this test: ${await response.text()}`);
  const server = (await response.json()) as TestServer;
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await administer(server.url, `create database ${name} template ${server.template}`);
  return {
    url: databaseUrl(server.url, name),
    close: () => administer(server.url, `drop database if exists ${name} with (force)`),
  };
}
