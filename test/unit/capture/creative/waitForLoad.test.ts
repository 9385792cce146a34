import { expect, it } from 'vitest';
import { type LoadingPage, waitForLoad } from '../../../../src/capture/creative/renderPage.ts';

/** A page that loads at 20 ms. `known`: the time at which the browser reports it. */
function fakePage(known: number, clock: 'stepped' | 'wall' = 'stepped') {
  const page = {
    now: 0,
    clock,
    loadedAt: undefined as number | undefined,
    wait: async (ms: number) => {
      page.now += ms;
      if (page.now >= known) page.loadedAt = 20;
    },
  };
  return page satisfies LoadingPage;
}

it.each([20, 30])(
  'the first frame of a page is at the same time if the browser reports the load at %i ms',
  async (known) => {
    const page = fakePage(known);
    await waitForLoad(page);
    expect(page.now).toBe(31);
  },
);

it('the first frame is later if the browser reports the load much later', async () => {
  const page = fakePage(50);
  await waitForLoad(page);
  expect(page.now).toBe(51);
});

it.each([
  ['stepped', 311],
  ['wall', 3_011],
] as const)('a page that never loads in %s time counts as started after a while', async (clock, started) => {
  const page = fakePage(Number.POSITIVE_INFINITY, clock);
  await waitForLoad(page);
  expect(page.now).toBe(started);
});
