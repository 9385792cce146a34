import { expect, it } from 'vitest';
import { openSecret } from '../../../src/db/secrets/sealing.ts';
import { createGuard } from '../../../src/egress/guard.ts';
import { preparePages } from './preparePages.ts';
import { read } from './reading.ts';

const addresses: Readonly<Record<string, string>> = { 'inside.example': '10.1.2.3' };
const lookup = async (name: string) => [{ address: addresses[name] ?? '93.184.216.34', family: 4 }];

const server = preparePages({ guard: createGuard({ allow: [], lookup }) });

const list = () => `${server.url}/o/demo/settings/endpoints`;

/** Sends the form of a new endpoint. @returns the page of the answer, and its status. */
async function create(url: string) {
  const page = await read(server, list());
  page.getByLabel('Address').fill(url);
  page.getByLabel('Description').fill('Reports');
  page.getByLabel('ad.failed').check();
  const { status } = await page.proceed(page.getByRole('button', { name: 'Create endpoint' }));
  return { page, status };
}

const row = () =>
  server.store.db.selectFrom('webhook_endpoints').selectAll().orderBy('created_at', 'desc').executeTakeFirstOrThrow();

it('a new endpoint shows its secret once, and is then in the list', async () => {
  const { page } = await create('https://you.example/new');
  const { id, secret } = await row();
  expect(page.getByLabel('The new secret').inputValue()).toBe(
    openSecret(server.store.db, secret ?? '', `webhook_endpoints.secret of ${id}`),
  );
  await page.open(list());
  expect(page.text).not.toContain('whsec_');
  const item = page.getByRole('row', { name: /you\.example\/new/ });
  expect(item.innerText()).toMatch(/Reports[\s\S]*ad\.failed[\s\S]*Enabled/);
});

it('an address that is not public comes back with what was typed, and without what it resolves to', async () => {
  const { page, status } = await create('https://inside.example/hook');
  expect(status).toBe(422);
  expect(page.locator('.fault').innerText()).toMatch(/^Address is not allowed/);
  expect(page.text).not.toContain('10.1.2.3');
  expect(page.getByLabel('Description').inputValue()).toBe('Reports');
});

it('an endpoint is disabled, enabled, tested and gets a new secret', async () => {
  await create('https://you.example/all');
  const { id, secret } = await row();
  const address = `${list()}/${id}`;
  const page = await read(server, address);
  await page.proceed(page.getByRole('button', { name: 'Disable' }));
  expect((await row()).disabled_at).not.toBeNull();
  await page.proceed(page.getByRole('button', { name: 'Enable' }));
  expect((await row()).disabled_at).toBeNull();
  await page.proceed(page.getByRole('button', { name: 'Replace the secret' }));
  expect(page.getByLabel('The new secret').inputValue()).not.toBe(secret);
  await page.open(address);
  expect(page.getByText('the old one also signs until').count()).toBe(1);
  await page.proceed(page.getByRole('button', { name: 'Send a test event' }));
  expect(page.url).toMatch(/\/deliveries\/[0-9a-f-]{36}$/);
  await page.open(address);
  await page.proceed(page.getByRole('link', { name: 'webhook.test' }));
});

it('the page says why the service disabled an endpoint', async () => {
  await create('https://you.example/failing');
  const { id } = await row();
  const reason = 'Every delivery attempt since Monday failed.';
  await server.store.db
    .updateTable('webhook_endpoints')
    .set({ disabled_at: new Date(), disabled_reason: reason })
    .where('id', '=', id)
    .execute();
  const page = await read(server, `${list()}/${id}`);
  expect(page.getByText(reason).count()).toBe(1);
});
