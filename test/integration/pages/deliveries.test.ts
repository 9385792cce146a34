import { beforeAll, describe, expect, it } from 'vitest';
import { sendTestEvent } from '../../../src/core/webhooks/testEvents.ts';
import { OPERATOR } from '../../../src/domain/auditLog.ts';
import { createKey } from '../../support/keys.ts';
import { seedDelivery, seedSet } from './pagesServer.ts';
import { preparePages } from './preparePages.ts';
import { read } from './reading.ts';

let setId: string;
let failed: string;

const server = preparePages();
beforeAll(async () => {
  setId = (await seedSet(server, { campaign: 'Autumn', shots: [] })).setId;
  const target = 'https://you.example/hook?key=secret';
  failed = await seedDelivery(server, {
    setId,
    target,
    status: 'retries_exhausted',
    error: 'The receiver answered 500.',
  });
  await server.store.db.updateTable('delivery_attempts').set({ response_snippet: '<b>Out of memory</b>' }).execute();
  for (let i = 0; i < 60; i += 1)
    await seedDelivery(server, { setId, target: `https://many.example/${i}`, status: 'delivered' });
});

const path = () => `${server.url}/o/demo/deliveries`;

describe('the list of deliveries', () => {
  it('the filters are in the address, and the list keeps them on its next page', async () => {
    const page = await read(server, path());
    page.getByLabel('Status').selectOption('Failed');
    await page.proceed(page.getByRole('button', { name: 'Apply' }));
    expect(new URL(page.url).searchParams.get('status')).toBe('retries_exhausted');
    expect(page.getByRole('row').count()).toBe(2);
    await page.open(`${path()}?status=delivered`);
    expect(page.getByRole('row').count()).toBe(26);
    await page.proceed(page.getByRole('link', { name: 'Next page' }));
    await page.proceed(page.getByRole('link', { name: 'Next page' }));
    expect(page.getByRole('row').count()).toBe(11);
    await page.proceed(page.getByRole('link', { name: 'Clear filters' }));
    expect(page.url).toBe(path());
  });

  it('a new delivery does not move those on the second page', async () => {
    const list = await read(server, path());
    const address = list.getByRole('link', { name: 'Next page' }).getAttribute('href');
    const readRows = async () => (await read(server, server.url + address)).locator('tbody').innerText();
    const before = await readRows();
    const late = await seedDelivery(server, { setId, target: 'https://late.example/', status: 'delivered' });
    expect(await readRows()).toBe(before);
    await list.open(path());
    expect(list.text).toContain(late);
  });

  it('a filter without a match says so', async () => {
    const list = await read(server, `${path()}?set=${failed}`);
    expect(list.getByText('No deliveries match').count()).toBe(1);
  });
});

describe('the page of a delivery', () => {
  it('the page shows the answer of each attempt as text, and hides secrets of the target', async () => {
    const delivery = await read(server, `${path()}/${failed}`);
    const text = delivery.locator('main').innerText();
    for (const shown of ['The receiver answered 500.', '<b>Out of memory</b>', 'https://you.example/hook?…'])
      expect(text).toContain(shown);
    expect(delivery.text).not.toContain('key=secret');
    expect(delivery.getByRole('link', { name: /^Autumn, \d+ \w+ \d+$/ }).count()).toBe(1);
  });

  it('a delivery is sent again with a button', async () => {
    const id = await seedDelivery(server, { setId, target: 'https://you.example/', status: 'delivered' });
    const delivery = await read(server, `${path()}/${id}`);
    await delivery.proceed(delivery.getByRole('button', { name: 'Send again' }));
    expect(delivery.url).toBe(`${path()}/${id}`);
    expect(delivery.getByText('The service will send it in a moment.').count()).toBe(1);
    expect(delivery.getByRole('button', { name: 'Send again' }).count()).toBe(0);
  });

  it('a key that may only read sees no form, and a strange delivery is not found', async () => {
    const { api_key: apiKey } = await createKey(server.store.db, 'demo', { scopes: ['read'] });
    const delivery = await read({ ...server, apiKey }, `${path()}/${failed}`);
    expect(delivery.locator('main form').count()).toBe(0);
    const headers = { authorization: `Bearer ${apiKey}` };
    expect((await fetch(`${path()}/${setId}`, { headers })).status).toBe(404);
    expect((await fetch(`${path()}/${failed}/replay`, { method: 'POST', headers })).status).toBe(403);
  });

  it('the page of a test event shows its body', async () => {
    const { store, organizationId } = server;
    const given = { organizationId, url: 'https://you.example/x' };
    const id = await store.db.transaction().execute((tx) => sendTestEvent(tx, given, OPERATOR));
    const delivery = await read(server, `${path()}/${id}`);
    expect(delivery.getByLabel('Event', { exact: true }).innerText()).toContain('"topic": "webhook.test"');
    const json = await (await fetch(`${path()}/${id}.json`, { headers: { authorization: server.apiKey } })).json();
    expect(json).toMatchObject({ id, payload: { topic: 'webhook.test' } });
  });
});
