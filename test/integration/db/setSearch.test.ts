import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listSets } from '../../../src/core/sets/listSets.ts';
import { openStore, type Store } from '../../../src/db/database.ts';
import { type TestDatabase, testDatabase } from '../../support/database.ts';
import { insertAd, insertOrganization, insertSet } from '../../support/insertRows.ts';
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

test('the largest set with the longest names and addresses can be stored and found', async () => {
  const { db } = store;
  const organization = await insertOrganization(db);
  const adIds: string[] = [];
  for (let i = 0; i < 200; i += 1) adIds.push(await insertAd(db, organization));
  await sql`update ads set lookup_key = repeat('鍵-', 100) || id, name = left(repeat(md5(id::text) || '語 ', 20), 255)`.execute(
    db,
  );
  const words = (i: number) => Array.from({ length: 180 }, (_, k) => `${'ж'.repeat(36)}${i}x${k}`).join('/');
  const pictures = Array.from({ length: 2_100 }, (_, i) => ({
    adId: adIds[i % adIds.length] ?? '',
    site: `https://host${i}.${'sub-domain.'.repeat(8)}example/${words(i)}`,
  }));
  const setId = await insertSet(db, organization, { pictures });
  const found = await listSets(
    db,
    { organizationId: organization.id, text: setId, device: 'desktop' },
    { page: 1, perPage: 25 },
  );
  expect(found.rows.map(({ id }) => id)).toEqual([setId]);
});

test('addresses of unusual shapes can be stored and their sites found', async () => {
  const { db } = store;
  const organization = await insertOrganization(db);
  const adId = await insertAd(db, organization);
  const sites = [
    'news.example',
    'http://[::1]:80/x',
    'https://127.0.0.1:8080/',
    'https://A.EXAMPLE:444?q',
    "https://o'neil\\x.example/",
    '',
  ];
  const setId = await insertSet(db, organization, { pictures: sites.map((site) => ({ adId, site })) });
  for (const site of ['news.example', '127.0.0.1', 'a.example']) {
    const filter = { organizationId: organization.id, site };
    const found = await listSets(db, filter, { page: 1, perPage: 25 });
    expect(
      found.rows.map(({ id }) => id),
      site,
    ).toEqual([setId]);
  }
});
