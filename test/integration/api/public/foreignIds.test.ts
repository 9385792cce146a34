/** Each operation with the id of an object in its path, called by another organization with real ids. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOrganization } from '../../../../src/core/organizations/organizations.ts';
import { type NamedOperation, sampleRequest } from '../../../support/operations.ts';
import { memoryArtifacts, startPublicApi, type TestApi } from '../../../support/publicApi.ts';
import { runSample } from './runSample.ts';
import { OPERATIONS, type SampleIds, sampleIds } from './sampleIds.ts';

const artifacts = memoryArtifacts(new Map());
let api: TestApi;
let stranger: { KEY: string; ORGANIZATION: string };
beforeAll(async () => {
  api = await startPublicApi({ artifacts, exportWaitMs: 300 });
  const { api_key: KEY } = await createOrganization(api.store.db, { slug: 'stranger' });
  stranger = { KEY, ORGANIZATION: 'stranger' };
});
afterAll(() => api.close());

async function run(named: NamedOperation, ids: SampleIds) {
  const { status, body } = await runSample(api, sampleRequest(named), ids);
  if (status >= 400) throw new Error(`${named.method} ${named.path} answered ${status}: ${body}`);
  return body === '' ? undefined : JSON.parse(body);
}

/** All rows of the tables that a request could change. */
async function stored(): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`select quote_ident(tablename) as name from pg_tables
    where schemaname = 'public' and tablename not in ('api_keys', 'rate_buckets') order by 1`.execute(api.store.db);
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.raw(name)} t order by 1`.execute(
      api.store.db,
    );
    texts.push(name, ...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}

const WITH_ID = OPERATIONS.filter(({ method, path }) => {
  // A PUT creates the object of this name for the caller.
  return method !== 'PUT' && path.replace('{organization_slug}', '').includes('{');
});

test('there are operations with ids', () => expect(WITH_ID.length).toBeGreaterThan(30));

const NAMED = WITH_ID.map(
  (operation) => [`${operation.method} ${operation.path.split('}/').slice(1).join('}/')}`, operation] as const,
);

test.each(NAMED)('%s finds and changes nothing of another organization', async (_name, named) => {
  const ids = await sampleIds({ api, artifacts, run }, named);
  const before = await stored();
  const { status, body } = await runSample(api, sampleRequest(named), { ...ids, ...stranger });
  // A connector is deleted by its name, which each organization gives itself.
  if (named.path.endsWith('/connectors/{name}') && named.method === 'DELETE') expect([status, body]).toEqual([204, '']);
  else expect([status, JSON.parse(body).code]).toEqual([404, 'not_found']);
  expect(await stored()).toBe(before);
});
