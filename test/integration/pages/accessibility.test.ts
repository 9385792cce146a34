/** Each kind of page once with axe, and those with most components in all looks. accessibility.long.test.ts has the other looks. */
import { expect, it } from 'vitest';
import { faultsOfEveryPage, faultsOfSignInPages, IN_ALL_LOOKS } from './everyPage.ts';
import { preparePages } from './preparePages.ts';

const server = preparePages();

it('axe finds nothing on any page that a person can reach, Tab reaches every control, and no page scrolls sideways', {
  timeout: 1_200_000,
}, async () => {
  const faults = await faultsOfEveryPage(server, (kind) =>
    IN_ALL_LOOKS.includes(kind) ? ['wide', 'narrow'] : ['wide'],
  );
  expect(faults).toEqual({});
});

it('the pages with which people sign in have no such fault', async () => {
  expect(await faultsOfSignInPages(['wide'])).toEqual([]);
});
