import { describe, expect, it } from 'vitest';
import { findS3Connector, openConnectorSecret, setS3Connector } from '../../../src/core/buckets/connectorQueries.ts';
import { authenticate } from '../../../src/core/organizations/apiKeys.ts';
import { webhookSecretOf } from '../../../src/core/organizations/organizations.ts';
import { parseKey } from '../../../src/domain/keys.ts';
import { createGuard } from '../../../src/egress/guard.ts';
import { createKey } from '../../support/keys.ts';
import { required } from '../../support/required.ts';
import { preparePages } from './preparePages.ts';
import { read } from './reading.ts';

const guard = createGuard({ allow: [], lookup: () => Promise.resolve([{ address: '93.184.216.34', family: 4 }]) });

const server = preparePages({ guard });

const address = (path: string) => `${server.url}/o/demo/settings${path}`;
const isValid = async (key: string) => (await authenticate(server.store.db, required(parseKey(key)))) !== undefined;

describe('access to settings', () => {
  const ask = (path: string, key: string, form?: Record<string, string>) =>
    fetch(`${server.url}/o/demo/settings${path}`, {
      headers: { authorization: `Bearer ${key}` },
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      redirect: 'manual',
    });

  it('a key without the scope admin gets 403 without a form, and its forms change nothing', async () => {
    const { api_key: key } = await createKey(server.store.db, 'demo', { scopes: ['read', 'write'] });
    for (const path of [
      '',
      '/keys',
      '/endpoints',
      '/webhooks',
      '/webhooks/rotate',
      '/connectors',
      '/connectors/remove',
    ]) {
      const response = await ask(path, key);
      const text = await response.text();
      expect([path, response.status, text.includes('<form')]).toEqual([path, 403, false]);
    }
    const before = await server.store.db.selectFrom('organizations').selectAll().executeTakeFirstOrThrow();
    for (const path of [
      '',
      '/keys',
      '/endpoints',
      '/webhooks/rotate',
      '/webhooks/test',
      '/connectors',
      '/connectors/check',
    ])
      expect([path, (await ask(path, key, { review: 'manual', name: 'x' })).status]).toEqual([path, 403]);
    expect(await server.store.db.selectFrom('organizations').selectAll().executeTakeFirstOrThrow()).toEqual(before);
  });

  it('the settings say how long sets are kept, and change it', async () => {
    const key = server.apiKey;
    const text = async () => (await ask('', key)).text();
    const save = (days: string) => ask('/retention', key, { set_retention_days: days });
    expect(await text()).toContain('They stay until they are deleted.');
    expect((await save('45')).status).toBe(303);
    expect(await text()).toContain('45 days after the request.');
    const faulty = await save('0');
    const field = /name="set_retention_days"[^>]* value="0"[^>]* aria-invalid="true"/;
    expect([faulty.status, await faulty.text()]).toEqual([422, expect.stringMatching(field)]);
    expect((await save('')).status).toBe(303);
    expect(await text()).toContain('They stay until they are deleted.');
  });

  it('the settings show and change language and time zone', async () => {
    const save = (zone: string) => ask('/locale', server.apiKey, { language: 'de', time_zone: zone });
    expect((await save('Mars/Olympus')).status).toBe(422);
    expect((await save('Europe/Berlin')).status).toBe(303);
    const text = await (await ask('', server.apiKey)).text();
    for (const chosen of ['value="de" selected', 'value="Europe/Berlin" selected']) expect(text).toContain(chosen);
    expect((await ask('/locale', server.apiKey, { language: 'en', time_zone: 'UTC' })).status).toBe(303);
  });

  it('the limits and rules of the creative check are changed, and faults are shown', async () => {
    const key = server.apiKey;
    const save = (form: Record<string, string>) => ask('/creative_check', key, form);
    expect((await save({ initial_load_kb: '80', requests: '', off_no_border: 'on' })).status).toBe(303);
    const stored = await server.store.db.selectFrom('organizations').select('creative_check').executeTakeFirstOrThrow();
    const empty = { total_weight_kb: null, requests: null };
    expect(stored.creative_check).toEqual({ initial_load_kb: 80, ...empty, switched_off: ['no_border'] });
    const text = await (await ask('', key)).text();
    expect(text).toMatch(/name="off_no_border"[^>]* checked/);
    expect(text).toMatch(/name="initial_load_kb"[^>]* value="80"/);
    const faulty = await save({ requests: '0' });
    expect([faulty.status, await faulty.text()]).toEqual([
      422,
      expect.stringMatching(/name="requests"[^>]* aria-invalid/),
    ]);
  });

  it('only administrators see the settings in the navigation', async () => {
    const { api_key: key } = await createKey(server.store.db, 'demo', { scopes: ['read'] });
    const home = await read({ ...server, apiKey: key }, `${server.url}/o/demo`);
    expect(home.getByRole('link', { name: 'Settings' }).count()).toBe(0);
    expect(home.getByRole('link', { name: 'Integrations' }).count()).toBe(1);
  });
});

it('the settings show the use of the organization and its quotas', async () => {
  const settings = await read(server, `${server.url}/o/demo/settings`);
  const usage = settings.locator('section').filter({ hasText: 'running captures' });
  expect(usage.locator('dd').allInnerTexts()).toEqual(['0 (no limit)', '0 of 50; others wait.']);
});

it('the review mode is changed with a form', async () => {
  const page = await read(server, address(''));
  page.getByLabel('Only sets with failures wait').check();
  await page.proceed(page.getByRole('button', { name: 'Save' }));
  expect(page.getByText('Saved.').count()).toBe(1);
  const { review } = await server.store.db.selectFrom('organizations').select('review').executeTakeFirstOrThrow();
  expect(review).toBe('partial');
  const headers = { authorization: `Bearer ${server.apiKey}` };
  const nothing = { method: 'POST', headers, body: new URLSearchParams({ form: '' }) };
  expect((await fetch(`${server.url}/o/demo/settings`, nothing)).status).toBe(422);
});

describe('keys', () => {
  it('a new key is shown once, works, and is revoked after a question', async () => {
    const page = await read(server, address('/keys'));
    page.getByLabel('Name').fill('Campaign tool');
    page.getByLabel('write: ').check();
    await page.proceed(page.getByRole('button', { name: 'Create key' }));
    const key = page.getByLabel('The new key').inputValue();
    expect(await isValid(key)).toBe(true);
    await page.open(`${server.url}/o/demo/settings/keys`);
    expect(page.text).not.toContain(key.slice(-43));
    const row = page.getByRole('row', { name: /Campaign tool/ });
    expect(row.innerText()).toMatch(/read, write/);
    await page.proceed(row.getByRole('link', { name: 'Revoke' }));
    await page.proceed(page.getByRole('button', { name: 'Revoke the key' }));
    expect(page.getByText('The key was revoked.').count()).toBe(1);
    expect(await isValid(key)).toBe(false);
    expect(page.getByRole('row', { name: /Campaign tool/ }).innerText()).toContain('Revoked');
  });

  it('a form with faults comes back with what was typed', async () => {
    const page = await read(server, address('/keys'));
    page.getByLabel('Name').fill('Typed name');
    page.getByLabel('read: ').uncheck();
    page.getByLabel('Expires').fill('2020-01-01');
    const { status } = await page.proceed(page.getByRole('button', { name: 'Create key' }));
    expect(page.locator('.fault').allInnerTexts()).toEqual([
      'Scopes must name at least one scope.',
      'Expires must be in the future.',
    ]);
    expect(page.getByLabel('Name').inputValue()).toBe('Typed name');
    expect(page.getByLabel('Expires').getAttribute('aria-invalid')).toBe('true');
    expect(status).toBe(422);
  });

  it('the key of the session is revoked only with a confirmation, which signs the person out', async () => {
    const { api_key: apiKey, id } = await createKey(server.store.db, 'demo');
    const page = await read({ ...server, apiKey }, address(`/keys/${id}/revoke`));
    await page.proceed(page.getByRole('button', { name: 'Revoke the key' }));
    expect(page.getByText('Confirm that you have another key').count()).toBe(1);
    expect(await isValid(apiKey)).toBe(true);
    page.getByLabel('I have another key').check();
    await page.proceed(page.getByRole('button', { name: 'Revoke the key' }));
    expect(page.getByRole('heading', { name: 'Sign in to demo' }).count()).toBe(1);
    expect(await isValid(apiKey)).toBe(false);
  });
});

describe('webhooks', () => {
  it('a replaced secret is shown once, and the old one also signs for a day', async () => {
    const page = await read(server, address('/webhooks'));
    await page.proceed(page.getByRole('link', { name: 'Replace the secret' }));
    await page.proceed(page.getByRole('button', { name: 'Replace the secret' }));
    const secret = page.getByLabel('The new secret').inputValue();
    const stored = await server.store.db.selectFrom('organizations').selectAll().executeTakeFirstOrThrow();
    expect(webhookSecretOf(server.store.db, stored)).toBe(secret);
    await page.open(address('/webhooks'));
    expect(page.text).not.toContain('whsec_');
    expect(page.getByText('also signs until').count()).toBe(1);
    await page.proceed(page.getByRole('link', { name: 'Replace the secret' }));
    expect(page.getByText('less than a day ago').count()).toBe(1);
  });

  it('a test event leads to its delivery', async () => {
    const page = await read(server, address('/webhooks'));
    page.getByLabel('Address').fill('https://you.example/hook');
    const { url } = await page.proceed(page.getByRole('button', { name: 'Send a test event' }));
    expect(page.getByRole('heading', { name: 'webhook.test' }).count()).toBe(1);
    const { id } = await server.store.db.selectFrom('deliveries').select('id').executeTakeFirstOrThrow();
    expect(new URL(url).pathname).toBe(`/o/demo/deliveries/${id}`);
  });

  it('a test event to a private address is refused in the form', async () => {
    const page = await read(server, address('/webhooks'));
    page.getByLabel('Address').fill('http://169.254.169.254/latest');
    await page.proceed(page.getByRole('button', { name: 'Send a test event' }));
    expect(page.getByText('is not a public address').count()).toBe(1);
    expect(page.getByLabel('Address').inputValue()).toBe('http://169.254.169.254/latest');
  });
});

describe('the connector', () => {
  it('a connector is set, checked and removed', async () => {
    const page = await read(server, address('/connectors'));
    page.getByLabel('Region', { exact: true }).fill('eu-central-1');
    page.getByLabel('Access key').fill('AKIA1');
    page.getByLabel('Secret').fill('top-secret');
    await page.proceed(page.getByRole('button', { name: 'Save' }));
    expect(page.getByText('Saved.').count()).toBe(1);
    expect(page.text).not.toContain('top-secret');
    page.getByLabel('Bucket', { exact: true }).fill('pictures');
    await page.proceed(page.getByRole('button', { name: 'Check the connector' }));
    expect(page.getByText('Checking').count()).toBe(1);
    const row = required(await findS3Connector(server.store.db, { organizationId: server.organizationId, name: 's3' }));
    expect(openConnectorSecret(server.store.db, row)).toBe('top-secret');
    expect(row.check_bucket).toBe('pictures');
    await page.proceed(page.getByRole('link', { name: 'Remove the connector' }));
    await page.proceed(page.getByRole('button', { name: 'Remove the connector' }));
    expect(page.getByText('The connector was removed.').count()).toBe(1);
    expect(
      await findS3Connector(server.store.db, { organizationId: server.organizationId, name: 's3' }),
    ).toBeUndefined();
  });

  it('a second connector is added beside the default one, under a name that is free', async () => {
    const { db } = server.store;
    await setS3Connector(db, 'demo', { region: 'eu-west-1', accessKeyId: 'AKIA1', secretAccessKey: 'x' });
    const page = await read(server, address('/connectors?add=1'));
    const fill = async (name: string) => {
      page.getByLabel('Name', { exact: true }).fill(name);
      page.getByLabel('Region', { exact: true }).fill('us-east-1');
      page.getByLabel('Access key').fill('AKIA2');
      page.getByLabel('Secret').fill('top-secret');
      page.getByLabel('Encryption').selectOption('aws:kms');
      page.getByLabel('KMS key').fill('alias/pictures');
      await page.proceed(page.getByRole('button', { name: 'Save' }));
    };
    await fill('s3');
    expect(page.getByText('is already used by another connector').count()).toBe(1);
    await fill('archive');
    expect(page.getByText('Saved.').count()).toBe(1);
    expect(page.getByRole('heading', { name: 'Connector “archive”' }).count()).toBe(1);
    const { organizationId } = server;
    const stored = await Promise.all(['s3', 'archive'].map((name) => findS3Connector(db, { organizationId, name })));
    expect(stored).toMatchObject([
      { region: 'eu-west-1', access_key_id: 'AKIA1' },
      { region: 'us-east-1', access_key_id: 'AKIA2', encryption: 'aws:kms', kms_key_id: 'alias/pictures' },
    ]);
    await page.proceed(page.getByRole('link', { name: 's3', exact: true }));
    expect(page.getByRole('heading', { name: 'Connector “s3”' }).count()).toBe(1);
    await db.deleteFrom('s3_connectors').execute();
  });

  it('a connector with a role shows the external id that its trust policy must require', async () => {
    const { store, organizationId } = server;
    const roleArn = 'arn:aws:iam::111122223333:role/pictures';
    await setS3Connector(store.db, 'demo', { region: 'eu-west-1', roleArn });
    const connectors = await read(server, `${server.url}/o/demo/settings/connectors`);
    expect(connectors.getByText(organizationId).count()).toBe(1);
    expect(connectors.getByLabel('Role').inputValue()).toBe(roleArn);
    await store.db.deleteFrom('s3_connectors').execute();
  });

  it('a private server is refused, and the form keeps everything but the secret', async () => {
    const page = await read(server, address('/connectors'));
    page.getByLabel('Server').fill('http://10.0.0.1:9000');
    page.getByLabel('Region', { exact: true }).fill('x');
    page.getByLabel('Access key').fill('AKIA1');
    page.getByLabel('Secret').fill('top-secret');
    await page.proceed(page.getByRole('button', { name: 'Save' }));
    expect(page.getByText('is not a public address').count()).toBe(1);
    expect(page.getByLabel('Access key').inputValue()).toBe('AKIA1');
    expect(page.getByLabel('Secret').inputValue()).toBe('');
  });
});
