import { expect, test } from 'vitest';
import { goTo } from '../../../../src/capture/page/navigation.ts';
import { TimeBudget } from '../../../../src/capture/page/settle.ts';

const SITE = 'https://a.example/';
const failure = (code: string) => new Error(`net::${code} at ${SITE}`);

/** A page whose navigations end with these errors, and then succeed. */
function pageWith(...errors: readonly Error[]) {
  const asked: string[] = [];
  const navigate = (site: string) => {
    const error = errors[asked.push(site) - 1];
    return error === undefined ? Promise.resolve() : Promise.reject(error);
  };
  return { asked, navigate };
}

const options = (ms = 60_000) => ({ budget: new TimeBudget(ms), pauseMs: 1 });

test('a page is opened again after the network of the machine changed', async () => {
  const page = pageWith(failure('ERR_NETWORK_CHANGED'), failure('ERR_NETWORK_CHANGED'));
  await goTo(page, SITE, options());
  expect(page.asked).toEqual([SITE, SITE, SITE]);
});

test('a network that changes all the time fails the page after six tries', async () => {
  const page = pageWith(...Array.from({ length: 20 }, () => failure('ERR_NETWORK_CHANGED')));
  await expect(goTo(page, SITE, options())).rejects.toThrow('ERR_NETWORK_CHANGED');
  expect(page.asked).toHaveLength(6);
});

test('a page is not opened again when the time for it is over', async () => {
  const page = pageWith(failure('ERR_NETWORK_CHANGED'));
  await expect(goTo(page, SITE, options(0))).rejects.toThrow('ERR_NETWORK_CHANGED');
  expect(page.asked).toHaveLength(1);
});

test('a page is not opened again after a failure of the site', async () => {
  const page = pageWith(failure('ERR_CONNECTION_RESET'));
  await expect(goTo(page, SITE, options())).rejects.toThrow('ERR_CONNECTION_RESET');
  expect(page.asked).toHaveLength(1);
});
