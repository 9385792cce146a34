import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CdpTimeoutError } from '../../../../src/capture/browser/cdp.ts';
import type { Frame } from '../../../../src/capture/browser/frame.ts';
import type { Tab } from '../../../../src/capture/browser/tab.ts';
import { PageRules } from '../../../../src/capture/page/siteRules.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A page whose selectors take forever, which depends on the machine in a real one. */
function busyPage(evaluate: () => Promise<unknown>): Tab {
  const mainFrame = { evaluate } as Pick<Frame, 'evaluate'> as Frame;
  return { mainFrame, frames: () => [mainFrame], url: () => 'https://news.example/' } as Pick<
    Tab,
    'mainFrame' | 'frames' | 'url'
  > as Tab;
}

const rule = {
  ...{ id: 'r-1', host: 'news.example', slots: [], hide: ['.a:has(b)'], click: [], wait_for: [] },
  ...{ cookies: [], headers: [] },
};

test('a selector that keeps the page busy fails it with a reason that names the rule', async () => {
  const applied = new PageRules(
    busyPage(() => new Promise(() => undefined)),
    [rule],
  ).apply(async () => undefined);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await applied).toEqual({
    status: 'generic_error',
    reason: 'Site rule r-1 (news.example), hide .a:has(b): it takes too long on this page. Change or delete the rule.',
  });
});

test('clicks on a page that is never quiet share one time, so that many of them do not use up that of the capture', async () => {
  const click = Array.from({ length: 60 }, (_, index) => `#b${index}`);
  const page = busyPage(() => Promise.resolve({ found: 1, problem: null }));
  const rules = new PageRules(page, [{ ...rule, hide: [], click }]);
  const started = performance.now();
  const applied = rules.apply((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const took = applied.then(() => performance.now() - started);
  await vi.advanceTimersByTimeAsync(200_000);
  expect(await took).toBeLessThan(40_000);
  expect(rules.reports[0]?.effects).toHaveLength(60);
});

test('an error of the browser is no failure of the rule', async () => {
  const rules = new PageRules(
    busyPage(() => Promise.reject(new CdpTimeoutError('Runtime.callFunctionOn'))),
    [rule],
  );
  await expect(rules.apply(async () => undefined)).rejects.toThrow('callFunctionOn');
});
