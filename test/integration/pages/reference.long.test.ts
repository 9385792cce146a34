/** The look of the whole API reference. reference.test.ts checks a part of it on a wide screen. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPublicApi, type TestApi } from '../../support/publicApi.ts';
import { closeBrowser, openPage } from './browser.ts';
import { faultsOfReference } from './referencePage.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startPublicApi();
});
afterAll(async () => {
  await closeBrowser();
  await api.close();
});

it.each(['wide', 'narrow'] as const)('the whole reference has no fault on a %s screen', async (look) => {
  const url = await api.startReplica({ publicUrl: 'http://shots.example' }, { withPages: true });
  expect(await faultsOfReference(url, openPage, look)).toEqual([]);
});
