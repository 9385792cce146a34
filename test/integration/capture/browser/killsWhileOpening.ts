import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BrowserGoneError } from '../../../../src/capture/browser/cdp.ts';
import { findChromium } from '../../../../src/capture/browser/chromium.ts';
import { startSteppedBrowser } from '../../../../src/capture/browser/steppedBrowser.ts';

const chromiumPath = findChromium(process.env['CHROMIUM_PATH']);
const proxyUrl = 'http://127.0.0.1:9';

/** Those of `make test`. The long test takes those between them. */
export const SHORT_MOMENTS: readonly number[] = [0, 20, 45, 80];

/** @param moments milliseconds from the call that opens the page. */
export function testKillsWhileOpening(moments: readonly number[]): void {
  it('a page that is being opened is rejected whenever the browser is killed', async () => {
    for (const ms of moments) {
      const browser = await startSteppedBrowser({ chromiumPath, proxyUrl });
      const opening = browser.openPage({}, async () => 'opened').catch((error: unknown) => error);
      await pause(ms);
      process.kill(browser.processGroup, 'SIGKILL');
      const outcome = await opening;
      if (outcome !== 'opened') expect(outcome).toBeInstanceOf(BrowserGoneError);
      await browser.close();
    }
  }, 60_000);
}
