import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Frame } from '../../../../src/capture/browser/frame.ts';
import type { Tab } from '../../../../src/capture/browser/tab.ts';
import { ConsentDialogs } from '../../../../src/capture/page/consent.ts';

const unheard = vi.fn();
beforeEach(() => void process.on('unhandledRejection', unheard));
afterEach(() => void process.off('unhandledRejection', unheard));

/** Stands for a page that is closed between two calls, which a real one is not on demand. */
function closedPage(): Tab {
  const evaluate = async () => {
    await pause(20);
    throw new Error('Target page, context or browser has been closed');
  };
  const frame = { evaluate } as Pick<Frame, 'evaluate'> as Frame;
  return { frames: () => [frame], mainFrame: frame } as Pick<Tab, 'frames' | 'mainFrame'> as Tab;
}

test('a page that closes during the search for a dialog does not end the process', async () => {
  const consent = new ConsentDialogs(closedPage());
  const closed = Promise.reject(new Error('The page was closed.'));
  expect(await consent.answer({ ms: 100, rested: closed })).toBe(false);
  expect(unheard).not.toHaveBeenCalled();
});
