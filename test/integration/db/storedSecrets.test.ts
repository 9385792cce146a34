import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireKeys } from '../../../src/commands/service/requireKeys.ts';
import { findS3Connector, setS3Connector } from '../../../src/core/buckets/connectorQueries.ts';
import { readInstallation } from '../../../src/core/jobs/installation.ts';
import {
  createOrganization,
  requireOrganization,
  rotateWebhookSecret,
  webhookSecretOf,
} from '../../../src/core/organizations/organizations.ts';
import { openStore, type Store } from '../../../src/db/database.ts';
import { rotateKeys, storedKeyIds } from '../../../src/db/secrets/storedSecrets.ts';
import { DEFAULT_CONNECTOR } from '../../../src/domain/connectors.ts';
import { KeyRing, newSealingKey } from '../../../src/lib/keyRing.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';

const [one, two] = [newSealingKey('one'), newSealingKey('two')];

let database: TestDatabase;
const opened: Store[] = [];
const openWith = (keys: string): Store => {
  const store = openStore({ url: database.url, maxConnections: 2, keyRing: KeyRing.parse(keys) });
  opened.push(store);
  return store;
};
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  for (const store of opened) await store.close();
  await database.close();
});

const account = { region: 'eu-west-1', accessKeyId: 'AKIA', secretAccessKey: 'a connector secret' };

/** @returns every secret as a process with these keys reads it. */
async function readAll({ db }: Store, slug: string) {
  const organization = await requireOrganization(db, slug);
  const connector = await findS3Connector(db, { organizationId: organization.id, name: DEFAULT_CONNECTOR });
  const { secret } = await readInstallation(db);
  const webhook = webhookSecretOf(db, organization);
  return { webhook, connector: connector?.secret_access_key, installation: secret.toString('hex') };
}

describe('stored secrets', () => {
  test('secrets are stored sealed, and also the secret that the migration makes, when a process reads it first', async () => {
    const store = openWith(one);
    await createOrganization(store.db, { slug: 'acme' });
    await rotateWebhookSecret(store.db, 'acme');
    await setS3Connector(store.db, 'acme', account);
    const before = await readAll(store, 'acme');
    expect(await readAll(store, 'acme')).toEqual(before);
    expect(await storedKeyIds(store.db)).toEqual(['one']);
    const row = await requireOrganization(store.db, 'acme');
    expect([row.webhook_secret, row.previous_webhook_secret]).toEqual([
      expect.stringMatching(/^sealed:1:one:/),
      expect.stringMatching(/^sealed:1:one:/),
    ]);
    const { rows } = await store.pool.query(`select convert_from(secret, 'UTF8') as secret from installation`);
    expect(rows[0].secret).toMatch(/^sealed:1:one:/);
  });

  test('a rotation of the key seals every secret with the first key, in steps, and a second one changes nothing', async () => {
    const store = openWith(`${two},${one}`);
    const first = openWith(one);
    for (let at = 0; at < 120; at += 1) await createOrganization(first.db, { slug: `many-${at}` });
    const before = await readAll(store, 'acme');
    const progress: number[] = [];
    const count = await rotateKeys(store.db, (done) => progress.push(done));
    expect(count).toBe(progress.at(-1));
    expect(progress.length).toBeGreaterThan(COLUMNS_WITH_ROWS);
    expect(await storedKeyIds(store.db)).toEqual(['two']);
    expect(await readAll(openWith(two), 'acme')).toEqual(before);
    expect(await rotateKeys(store.db)).toBe(0);
  });

  test('a process without the key of a stored secret does not start, and the message names the key', async () => {
    const message = 'is sealed with key "two", which SECRETS_KEYS does not have. Add this key and restart.';
    await expect(requireKeys(openWith(one).db)).rejects.toThrow(message);
  });

  test('a secret that is copied to the row of another organization does not open there', async () => {
    const store = openWith(two);
    await store.pool.query(`update organizations set webhook_secret =
      (select webhook_secret from organizations where slug = 'acme') where slug = 'many-1'`);
    const copied = await requireOrganization(store.db, 'many-1');
    expect(() => webhookSecretOf(store.db, copied)).toThrow('copied from another row');
  });

  test('a secret that is stored in clear is an error, and no process uses it', async () => {
    const store = openWith(two);
    await store.pool.query(`update organizations set webhook_secret = 'whsec_clear' where slug = 'many-2'`);
    const clear = await requireOrganization(store.db, 'many-2');
    expect(() => webhookSecretOf(store.db, clear)).toThrow('is stored without encryption');
  });
});

/** Webhook secrets, earlier webhook secrets, connectors and the installation: one step each, if one were enough. */
const COLUMNS_WITH_ROWS = 4;
