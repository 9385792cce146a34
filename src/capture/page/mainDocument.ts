import type { Page, Response } from 'playwright';
import { isTimeout } from './timeouts.ts';

/** Follows the main document of a page, because a refresh of the page or a script may replace it at any time. */
export class MainDocument {
  readonly #page: Page;
  /** The newest response to a navigation; null if the document came without one. */
  response: Response | null = null;
  /** Why the newest navigation failed, as Chromium names it: `net::ERR_CONNECTION_REFUSED`. */
  failure: string | undefined;
  /** The number of documents so far. */
  count = 0;

  constructor(page: Page) {
    this.#page = page;
    page.on('response', (response) => {
      const request = response.request();
      const isRedirect = response.status() >= 300 && response.status() < 400;
      if (!request.isNavigationRequest() || isRedirect || request.frame() !== page.mainFrame()) return;
      this.response = response;
      this.failure = undefined;
    });
    page.on('requestfailed', (request) => {
      if (request.isNavigationRequest() && request.frame() === page.mainFrame())
        this.failure = request.failure()?.errorText;
    });
    page.on('domcontentloaded', () => {
      this.count += 1;
    });
  }

  /** @returns the time until the document refreshes itself; infinite if it does not. */
  async secondsToRefresh(): Promise<number> {
    const content = await this.#page.evaluate(
      () => document.querySelector('meta[http-equiv="refresh" i]')?.getAttribute('content') ?? '',
    );
    const [, seconds] = /^\s*(\d+(?:\.\d+)?)\s*[;,]\s*url/i.exec(content) ?? [];
    return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds);
  }

  /** @returns whether another document arrives within this time. */
  async isReplaced(ms: number): Promise<boolean> {
    const next = this.#page.waitForEvent('domcontentloaded', { timeout: ms });
    return next.then(
      () => true,
      (error: unknown) => {
        if (isTimeout(error)) return false;
        throw error;
      },
    );
  }

  /** Whether Chromium shows its own page in the place of the site. */
  get isError(): boolean {
    return this.#page.url().startsWith('chrome-error:');
  }
}

/** Whether the call failed because another document replaced the one that it was about. */
export function isDocumentReplaced(error: unknown): boolean {
  return (
    error instanceof Error &&
    /Execution context was destroyed|Cannot find context with specified id|navigating and changing the content|interrupted by another navigation|Frame was detached|JSHandle is disposed/i.test(
      error.message,
    )
  );
}
