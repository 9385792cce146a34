/** Each kind of page once with axe, and those with most components also in other looks. accessibility.long.test.ts has the rest. */
import { expect, it } from 'vitest';
import { preparePagesInBrowser } from './browser.ts';
import { faultsOfEveryPage, faultsOfSignInPages, looksInShort } from './everyPage.ts';

const server = preparePagesInBrowser();

it('axe finds nothing on any page that a person can reach, Tab reaches every control, and no page scrolls sideways', {
  timeout: 1_200_000,
}, async () => {
  expect(await faultsOfEveryPage(server, looksInShort)).toEqual({});
});

it('the pages with which people sign in have no such fault', async () => {
  expect(await faultsOfSignInPages(['wide'])).toEqual([]);
});
