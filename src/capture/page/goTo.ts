import type { Page, Response } from 'playwright';
import type { Log } from '../../lib/log.ts';
import { sleep } from '../../lib/sleep.ts';
import type { TimeBudget } from './settle.ts';
import { isNetworkChange } from './siteFailures.ts';

interface GoToOptions {
  readonly budget: TimeBudget;
  readonly log?: Log | undefined;
  /** Wait before the next try, in milliseconds. */
  readonly pauseMs?: number;
}

/** Interfaces of several pods may appear and disappear within moments. */
const TRIES = 6;
const PAUSE_MS = 500;

/**
 * Navigates until the response begins. Tries again if the network of this machine changed, because the site has no part in that.
 * @throws the error of the last try.
 */
export async function goTo(page: Pick<Page, 'goto'>, site: string, options: GoToOptions): Promise<Response | null> {
  const { budget, log, pauseMs = PAUSE_MS } = options;
  for (let tries = 1; ; tries += 1) {
    try {
      return await page.goto(site, { waitUntil: 'commit', timeout: Math.max(1, budget.left()) });
    } catch (error) {
      if (!isNetworkChange(error) || tries === TRIES || budget.left() <= pauseMs) throw error;
      log?.warn({ url: site, tries }, 'The network of this machine changed, so the capture opens the page again.');
      await sleep(pauseMs);
    }
  }
}
