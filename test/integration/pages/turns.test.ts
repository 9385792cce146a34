/** Readers of large sets and of one link wait for their turns, and the service rejects too many of them. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { shareToken } from '../../../src/api/auth/shareTokens.ts';
import { fillDatabase, storedId } from '../../support/storedSets.ts';
import { preparePages } from './preparePages.ts';

const server = preparePages();
/** Requests that run, and those that wait. */
const ADMITTED = { link: 20, set: 22 };

/** Keeps the work of all these requests from ending. @returns a function that lets it end. */
async function holdBack(table: string): Promise<() => Promise<void>> {
  const client = await server.store.pool.connect();
  await client.query(`begin; lock table ${table} in access exclusive mode`);
  return async () => {
    await client.query('rollback');
    client.release();
  };
}

/** Sends one request more than may run and wait. @returns how often each status came, and the answer that came first. */
async function flood(requests: number, send: () => Promise<Response>, release: () => Promise<void>) {
  const sent = Array.from({ length: requests }, send);
  const first = await Promise.race(sent);
  await release();
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  const counts = [...Map.groupBy(statuses, String)].map(([status, all]) => [status, all.length] as const);
  return { first, statuses: Object.fromEntries(counts) };
}

test('the 21st reader of a link at the same time gets 429 with Retry-After, and the others see the page', async () => {
  const setId = randomUUID();
  const { organizationId, store, secret, url } = server;
  const campaign = { id: randomUUID(), organization_id: organizationId, name: 'Flood' };
  await store.db.insertInto('campaigns').values(campaign).execute();
  const set = { id: setId, organization_id: organizationId, campaign_id: campaign.id, status: 'approved' as const };
  await store.db
    .insertInto('screenshot_sets')
    .values({ ...set, settled_at: new Date() })
    .execute();
  const link = { id: randomUUID(), organization_id: organizationId, set_id: setId, label: '' };
  const expires_at = new Date(Date.now() + 3_600_000);
  await store.db
    .insertInto('share_links')
    .values({ ...link, expires_at })
    .execute();
  const address = `${url}/s/${shareToken(secret, link.id)}`;
  const read = () => fetch(address, { signal: AbortSignal.timeout(60_000) });
  const { first, statuses } = await flood(ADMITTED.link + 1, read, await holdBack('branding'));
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '5']);
  expect(statuses).toEqual({ 200: ADMITTED.link, 429: 1 });
});

test('one request too many for large sets of an organization gets 429 with Retry-After', async () => {
  const { organizationId, store, url, apiKey } = server;
  await fillDatabase(store.pool, organizationId, { sets: 1, screenshotsPerSet: 501, setsPerCampaign: 1 });
  const address = `${url}/o/demo/screenshot_sets/${storedId('s', 0)}.json`;
  const headers = { authorization: `Bearer ${apiKey}` };
  const read = () => fetch(address, { headers, signal: AbortSignal.timeout(60_000) });
  const { first, statuses } = await flood(ADMITTED.set + 1, read, await holdBack('reviews'));
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '5']);
  expect(statuses).toEqual({ 200: ADMITTED.set, 429: 1 });
  expect((await (await read()).json()).screenshots).toHaveLength(501);
});
