import type { Browser } from 'playwright';
import { afterAll, beforeAll } from 'vitest';
import { openBrowser } from './browser.ts';
import { type PagesServer, startPages } from './pagesServer.ts';

interface StartedPages {
  readonly server: PagesServer;
  readonly browser: Browser;
}

/** Starts the pages and a browser before the tests of a file, and closes both after them. */
export function preparePages(onStarted: (started: StartedPages) => void): void {
  let started: StartedPages;
  beforeAll(async () => {
    const [server, browser] = await Promise.all([startPages(), openBrowser()]);
    started = { server, browser };
    onStarted(started);
  });
  afterAll(async () => {
    await started.browser.close();
    await started.server.close();
  });
}
