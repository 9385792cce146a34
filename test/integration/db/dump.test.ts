/** A copy of the database gives nobody the secrets that clients entrusted to the service. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readInstallation } from '../../../src/core/jobs/installation.ts';
import { createKey } from '../../support/keys.ts';
import { startPublicApi, type TestApi } from '../../support/publicApi.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(() => api.close());

/** @returns all rows of all tables, as pg_dump --inserts would show them: text, numbers, JSON, and bytes in hex. */
async function dump(): Promise<string> {
  const tables = await sql<{ name: string }>`select format('%I.%I', schemaname, tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`.execute(api.store.db);
  const texts: string[] = [];
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.raw(name)} t`.execute(api.store.db);
    texts.push(name, ...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}

/** A secret may be stored as text, in base64 or in hex. */
const formsOf = (secret: string | Buffer) => {
  const bytes = Buffer.from(secret);
  return [
    bytes.toString('latin1'),
    bytes.toString('hex'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ];
};

test('a dump of all tables contains no webhook secret, no connector secret, no key and no secret of the installation', async () => {
  const put = await api.send({
    method: 'PUT',
    path: '/api/v1/orgs/acme/connectors/s3',
    headers: { authorization: `Bearer ${api.organization.api_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      region: 'eu-west-1',
      access_key_id: 'AKIAPLANTED',
      secret_access_key: 'planted/connector+secret',
    }),
  });
  expect(put.status).toBeLessThan(300);
  const rotated = await api.post('webhook_secret/rotate', '');
  const endpoint = await api.post(
    'webhook_endpoints',
    { url: 'https://you.example/hook', headers: { 'x-planted': 'Token planted-header-value' } },
    { 'idempotency-key': 'planted' },
  );
  expect(endpoint.status).toBeLessThan(300);
  const turned = await api.post(`webhook_endpoints/${endpoint.json.id}/rotate`, {});
  const key = await createKey(api.store.db, 'acme', { name: 'planted' });
  const installation = await readInstallation(api.store.db);

  const text = await dump();
  expect(text).toContain('AKIAPLANTED');
  const planted = {
    connector: 'planted/connector+secret',
    'earlier webhook secret': api.organization.webhook_secret.slice('whsec_'.length),
    'webhook secret': rotated.json.secret.slice('whsec_'.length),
    'header of an endpoint': 'planted-header-value',
    'earlier secret of an endpoint': endpoint.json.secret.slice('whsec_'.length),
    'secret of an endpoint': turned.json.secret.slice('whsec_'.length),
    'first key': api.organization.api_key.split('_').slice(3).join('_'),
    key: key.api_key.split('_').slice(3).join('_'),
    'secret of the installation': installation.secret,
  };
  const found = Object.entries(planted).filter(([, secret]) => formsOf(secret).some((form) => text.includes(form)));
  expect(found.map(([name]) => name)).toEqual([]);
});
