/** The looks that accessibility.test.ts leaves out. */
import { expect, it } from 'vitest';
import { faultsOfEveryPage, faultsOfSignInPages, IN_ALL_LOOKS } from './everyPage.ts';
import { preparePages } from './preparePages.ts';

const server = preparePages();

it('axe finds nothing on any page on a narrow screen and with dark colors', { timeout: 1_200_000 }, async () => {
  const faults = await faultsOfEveryPage(server, (kind) => (IN_ALL_LOOKS.includes(kind) ? [] : ['narrow']));
  expect(faults).toEqual({});
});

it('the pages with which people sign in have no such fault', async () => {
  expect(await faultsOfSignInPages(['narrow'])).toEqual([]);
});
