/** The entries of the operator's commands. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setConnector } from '../../../src/core/buckets/connectors.ts';
import {
  addKey,
  addOrganization,
  chooseSettings,
  endKey,
  rotateSecret,
  setDisabled,
} from '../../../src/core/organizations/operator.ts';
import { openStore, type Store } from '../../../src/db/database.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await testDatabase();
  store = openStore({ url: database.url, keyRing: TEST_KEY_RING });
});
afterAll(async () => {
  await store.close();
  await database.close();
});

const entries = async () => store.db.selectFrom('audit_log').selectAll().orderBy('created_at').orderBy('id').execute();

test('each command of the operator has one entry, and a command that changes nothing has none', async () => {
  const { db } = store;
  const made = await addOrganization(db, 'acme');
  const key = await addKey(db, 'acme', { name: 'CI', scopes: ['read', 'write'] });
  for (let twice = 0; twice < 2; twice += 1) {
    await endKey(db, 'acme', key.id);
    await setDisabled(db, 'acme', true);
  }
  for (let twice = 0; twice < 2; twice += 1) {
    await setDisabled(db, 'acme', false);
    await chooseSettings(db, 'acme', { review: 'manual' });
  }
  const secret = await rotateSecret(db, 'acme');
  const account = { region: 'eu-west-1', accessKeyId: 'AKIA', secretAccessKey: 'planted' };
  await setConnector(db, 'acme', account);
  await setConnector(db, 'acme', { ...account, secretAccessKey: 'planted again' });
  const rows = await entries();
  expect(rows.map(({ action }) => action)).toEqual([
    'organization.created',
    'api_key.created',
    'api_key.revoked',
    'organization.disabled',
    'organization.enabled',
    'settings.updated',
    'webhook_secret.rotated',
    'connector.created',
    'connector.updated',
  ]);
  for (const row of rows) expect(row).toMatchObject({ actor_type: 'operator', actor_key_id: null, address: null });
  expect(rows[1]).toMatchObject({
    object_id: key.id,
    changes: [
      { field: 'name', from: null, to: 'CI' },
      { field: 'scopes', from: null, to: 'read, write' },
    ],
  });
  expect(rows.at(-1)?.changes).toEqual([{ field: 'secret_access_key', from: 'set', to: 'replaced' }]);
  const text = JSON.stringify(rows);
  const secrets = [made.api_key.slice(-43), key.api_key.slice(-43), made.webhook_secret, secret, 'planted'];
  expect(secrets.filter((one) => text.includes(one))).toEqual([]);
});

test('a command that fails has no entry', async () => {
  const before = await entries();
  await expect(endKey(store.db, 'acme', 'AAAAAAAA')).rejects.toThrow('no such key');
  await expect(addOrganization(store.db, 'acme')).rejects.toThrow('taken');
  expect(await entries()).toEqual(before);
});
