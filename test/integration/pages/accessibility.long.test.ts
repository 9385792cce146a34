/** The looks that accessibility.test.ts leaves out. */
import { expect, it } from 'vitest';
import { preparePagesInBrowser } from './browser.ts';
import { faultsOfEveryPage, faultsOfSignInPages, looksInLong } from './everyPage.ts';

const server = preparePagesInBrowser();

it('axe finds nothing on any page in its other looks, and Tab reaches every control', {
  timeout: 1_200_000,
}, async () => {
  expect(await faultsOfEveryPage(server, looksInLong)).toEqual({});
});

it('the pages with which people sign in have no such fault', async () => {
  expect(await faultsOfSignInPages(['narrow', 'keyboard'])).toEqual([]);
});
