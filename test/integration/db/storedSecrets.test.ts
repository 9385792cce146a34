import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireKeys } from '../../../src/commands/service/requireKeys.ts';
import { findS3Connector, openConnectorSecret, setS3Connector } from '../../../src/core/buckets/connectorQueries.ts';
import { readInstallation } from '../../../src/core/jobs/installation.ts';
import {
  createOrganization,
  requireOrganization,
  webhookSecretOf,
} from '../../../src/core/organizations/organizations.ts';
import { replaceWebhookSecret } from '../../../src/core/organizations/settings.ts';
import { openStore, type Store } from '../../../src/db/database.ts';
import { rotateKeys, storedKeyIds } from '../../../src/db/secrets/storedSecrets.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
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
  return { webhook, connector: connector && openConnectorSecret(db, connector), installation: secret.toString('hex') };
}

describe('stored secrets', () => {
  test('secrets are stored sealed, and also the secret that the migration makes, when a process reads it first', async () => {
    const store = openWith(one);
    await createOrganization(store.db, { slug: 'acme' });
    await replaceWebhookSecret(store.db, 'acme', true, OPERATOR);
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

describe('a lost key', () => {
  test('the statements for a lost key in docs/operations.md leave no secret that needs it', async () => {
    const lost = await testDatabase();
    const store = openStore({ url: lost.url, maxConnections: 2, keyRing: KeyRing.parse(one) });
    try {
      await createOrganization(store.db, { slug: 'acme' });
      await replaceWebhookSecret(store.db, 'acme', true, OPERATOR);
      await setS3Connector(store.db, 'acme', account);
      await readInstallation(store.db);
      await store.pool.query(OTHER_SECRETS);
      expect(await sealedColumns(store)).toEqual([
        'notice_chats.address',
        'organizations.previous_webhook_secret',
        'organizations.webhook_secret',
        'page_access.content',
        's3_connectors.secret_access_key',
        'site_rules.access',
        'user_sessions.id_token',
        'webhook_endpoints.headers',
        'webhook_endpoints.previous_secret',
        'webhook_endpoints.secret',
      ]);
      const [, commands = ''] = (await readFile('docs/operations.md', 'utf8')).split('**If the key is lost**');
      const statements = [...commands.replace(/\n## .*/s, '').matchAll(/-c "([^"]+)"/g)].map(([, text]) => text ?? '');
      for (const statement of statements) await store.pool.query(statement);
      expect(await sealedColumns(store)).toEqual([]);
      expect(await storedKeyIds(store.db)).toEqual([]);
    } finally {
      await store.close();
      await lost.close();
    }
  });
});

/** Rows with a sealed text in each column that the test has no function for. */
const OTHER_SECRETS = `
  alter table page_access drop constraint page_access_set_id_fkey;
  alter table webhook_endpoints drop constraint webhook_endpoints_id_fkey;
  insert into users (id, name) values (gen_random_uuid(), 'Ann');
  insert into user_sessions (id, token_sha256, user_id, method, id_token, expires_at)
    select gen_random_uuid(), '', id, 'provider', 'sealed:1:one:', now() from users;
  insert into page_access (id, set_id, content) values (gen_random_uuid(), gen_random_uuid(), 'sealed:1:one:');
  insert into notice_chats (id, organization_id, name, kind, address, host, notices)
    select gen_random_uuid(), id, 'Team', 'slack', 'sealed:1:one:', 'chat.example', '{}' from organizations;
  insert into site_rules (id, organization_id, host, path, device, body, access)
    select gen_random_uuid(), id, 'news.example', '/*', 'all', '{}', 'sealed:1:one:' from organizations;
  insert into webhook_endpoints (id, organization_id, secret, previous_secret, headers)
    select gen_random_uuid(), id, 'sealed:1:one:', 'sealed:1:one:', 'sealed:1:one:' from organizations`;

/** @returns each column of texts that holds a sealed one. */
async function sealedColumns({ pool }: Store): Promise<string[]> {
  const { rows } = await pool.query<{ table_name: string; column_name: string }>(
    `select table_name, column_name from information_schema.columns
      where table_schema = 'public' and data_type = 'text' order by 1, 2`,
  );
  const found: string[] = [];
  for (const { table_name: table, column_name: column } of rows) {
    const sealed = await pool.query(`select from "${table}" where starts_with("${column}", 'sealed:1:')`);
    if (sealed.rowCount) found.push(`${table}.${column}`);
  }
  return found;
}

/** Webhook secrets, earlier webhook secrets, connectors and the installation: one step each, if one were enough. */
const COLUMNS_WITH_ROWS = 4;
