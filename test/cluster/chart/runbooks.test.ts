import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startQueue } from '../../../src/db/queue.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';

const DOCS = path.join(import.meta.dirname, '../../../docs');
const queries = ['runbooks.md', 'operations.md'].flatMap((page) => {
  const text = readFileSync(path.join(DOCS, page), 'utf8');
  return [...text.matchAll(/`(select [^`]+)`/g)].map((match) => [page, match[1] ?? ''] as const);
});

let database: TestDatabase;
let client: pg.Client;

beforeAll(async () => {
  database = await testDatabase();
  // Makes the tables of the queue.
  await (await startQueue({ databaseUrl: database.url, onError: () => undefined })).stop({ timeoutMs: 1_000 });
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await database?.close();
});

it.each(queries)('a query of docs/%s is valid: %s', async (_page, sql) => {
  await expect(client.query(sql)).resolves.toBeDefined();
});
