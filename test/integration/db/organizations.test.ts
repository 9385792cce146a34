import { Webhook } from 'standardwebhooks';
import { afterAll, expect, test } from 'vitest';
import { findS3Connector, setS3Connector } from '../../../src/core/buckets/connectorQueries.ts';
import { authenticate } from '../../../src/core/organizations/apiKeys.ts';
import { addKey, endKey, setDisabled } from '../../../src/core/organizations/operator.ts';
import {
  changeOrganization,
  createOrganization,
  requireOrganization,
} from '../../../src/core/organizations/organizations.ts';
import { replaceWebhookSecret } from '../../../src/core/organizations/settings.ts';
import { openStore } from '../../../src/db/database.ts';
import { openSecret } from '../../../src/db/secrets/sealing.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { Failure } from '../../../src/domain/failure.ts';
import { parseKey } from '../../../src/domain/keys.ts';
import { testDatabase } from '../../support/database.ts';
import { TEST_KEY_RING } from '../../support/testKeys.ts';

const database = await testDatabase();
const { db, close } = openStore({ url: database.url, keyRing: TEST_KEY_RING });
afterAll(async () => {
  await close();
  await database.close();
});

const statusOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Failure ? error.status : error),
  );

test('a new organization has a key with all scopes, automatic review and a valid webhook secret', async () => {
  const made = await createOrganization(db, { slug: 'acme' });
  expect(made.api_key).toMatch(/^ts_live_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}$/);
  expect(() => new Webhook(made.webhook_secret).sign('id', new Date(), '{}')).not.toThrow();
  const key = parseKey(made.api_key);
  expect(key && (await authenticate(db, key))).toMatchObject({
    scopes: ['read', 'write', 'admin'],
    organization: { slug: 'acme', disabled: false },
  });
  expect(await requireOrganization(db, 'acme')).toMatchObject({ review: 'automatic', disabled_at: null });
});

test('a slug is valid and unique, also among simultaneous requests', async () => {
  const results = await Promise.all([1, 2, 3].map(() => statusOf(createOrganization(db, { slug: 'twice' }))));
  expect(results.sort()).toEqual([409, 409, 'done']);
  for (const slug of ['', 'Acme', '-a', 'a-', 'a_b', 'a'.repeat(64)]) {
    expect(await statusOf(createOrganization(db, { slug }))).toBe(422);
  }
});

test('a change of a setting keeps other settings and fails for an unknown organization', async () => {
  await createOrganization(db, { slug: 'settings' });
  await changeOrganization(db, 'settings', { review: 'manual' });
  await setDisabled(db, 'settings', true);
  const row = await requireOrganization(db, 'settings');
  expect([row.review, row.disabled_at instanceof Date]).toEqual(['manual', true]);
  expect(await statusOf(setDisabled(db, 'nobody', true))).toBe(404);
  expect(await statusOf(addKey(db, 'nobody', {}))).toBe(404);
});

test('a rotated webhook secret is kept beside the new one', async () => {
  const made = await createOrganization(db, { slug: 'rotating' });
  const secret = await replaceWebhookSecret(db, 'rotating', true, OPERATOR);
  const row = await requireOrganization(db, 'rotating');
  const open = (text: string | null) => openSecret(db, text ?? '', `organizations.webhook_secret of ${row.id}`);
  expect([row.webhook_secret, row.previous_webhook_secret].map(open)).toEqual([secret, made.webhook_secret]);
  expect(secret).not.toBe(made.webhook_secret);
});

test('keys are revoked only by their own organization, and once', async () => {
  await createOrganization(db, { slug: 'keys' });
  const { id } = await addKey(db, 'keys', { name: 'second', scopes: ['read'] });
  const read = () => db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst();
  expect(await statusOf(endKey(db, 'acme', id))).toBe(404);
  await endKey(db, 'keys', id);
  const first = await read();
  await endKey(db, 'keys', id);
  const second = await read();
  expect([first?.name, first?.scopes, first?.revoked_at]).toEqual(['second', ['read'], second?.revoked_at]);
  expect(first?.revoked_at).toBeInstanceOf(Date);
});

test('a new connector replaces the old one, and an invalid address is rejected', async () => {
  const { id } = await requireOrganization(db, 'acme');
  const given = { region: 'eu', accessKeyId: 'a', secretAccessKey: 's' };
  await setS3Connector(db, 'acme', { ...given, endpoint: 'https://s3.example', forcePathStyle: true });
  await setS3Connector(db, 'acme', { ...given, region: 'us' });
  expect(await findS3Connector(db, { organizationId: id, name: 's3' })).toMatchObject({
    region: 'us',
    endpoint: null,
    force_path_style: false,
  });
  expect(await statusOf(setS3Connector(db, 'acme', { ...given, endpoint: 'ftp://x' }))).toBe(422);
});
