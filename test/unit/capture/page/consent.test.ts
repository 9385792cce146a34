import { setTimeout as pause } from 'node:timers/promises';
import type { BrowserContext, Frame, Page } from 'playwright';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ConsentDialogs } from '../../../../src/capture/page/consent.ts';

const unheard = vi.fn();
beforeEach(() => void process.on('unhandledRejection', unheard));
afterEach(() => void process.off('unhandledRejection', unheard));

/** Stands for a page that is closed between two calls, which a real one is not on demand. */
function closedPage(): Page {
  const evaluate = async () => {
    await pause(20);
    throw new Error('Target page, context or browser has been closed');
  };
  const frame = { evaluate } as Pick<Frame, 'evaluate'> as Frame;
  return { frames: () => [frame], mainFrame: () => frame } as Pick<Page, 'frames' | 'mainFrame'> as Page;
}

test('a page that closes during the search for a dialog does not end the process', async () => {
  const consent = new ConsentDialogs({} as BrowserContext);
  const closed = Promise.reject(new Error('The page was closed.'));
  expect(await consent.answer(closedPage(), { ms: 100, scrolled: closed, rested: closed })).toBe(false);
  expect(unheard).not.toHaveBeenCalled();
});
