import type { CDPSession, Page, Request, Route } from 'playwright';
import type { Phase } from '../../contract/captureProtocol.ts';
import type { Device } from '../../domain/devices.ts';
import type { OtherAds } from '../../domain/screenshotOptions.ts';
import type { Warning } from '../../domain/warnings.ts';
import type { EgressFailure } from '../../egress/errors.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { Log } from '../../lib/log.ts';
import { AdPlacer } from './adPlacer.ts';
import { type AdRequestAction, actionFor } from './adRequests.ts';
import { ConsentDialogs } from './consent.ts';
import { emulateDevice, refuseRequestsOf } from './deviceContext.ts';
import { findSlots } from './findSlots.ts';
import { FailedFrames } from './frames.ts';
import { RECORD_DECLARATIONS } from './inPage/declarations.ts';
import { LivePage } from './livePage.ts';
import {
  challengeOfPage,
  failureOfNavigation,
  failureOfResponse,
  goTo,
  isDocumentReplaced,
  MainDocument,
  type SiteFailure,
} from './navigation.ts';
import type { ClosedPage, OpenPage } from './page.ts';
import { NetworkActivity, scrollThrough, TimeBudget } from './settle.ts';

export interface PageVisitOptions {
  readonly device: Device;
  readonly otherAds: OtherAds;
  /** The browser's version. */
  readonly version: string;
  readonly navigationTimeoutMs: number;
  readonly settleCapMs: number;
  readonly egressFailures: () => readonly EgressFailure[];
  readonly log: Log | undefined;
}

const SCROLL_MS = 6_000;
const LOAD_MS = 3_000;
const QUIET_MS = 2_500;
const FIND_MS = 20_000;
/** A page that refreshes itself later than that is a page to look at. */
const MAX_REFRESH_SECONDS = 10;
/** Documents of one site that replace each other, by a refresh or by a script. */
const MAX_DOCUMENTS = 4;
/** A page with busy scripts answers late, most of all on a busy node. */
const TEXT_MS = 15_000;

/** Opens one site: navigates, answers consent dialogs, scrolls, waits until the page is quiet, and finds the slots. */
export class PageVisit {
  readonly #page: Page;
  readonly #options: PageVisitOptions;
  readonly #consent: ConsentDialogs;
  readonly #failedFrames: FailedFrames;
  readonly #network: NetworkActivity;
  readonly #document: MainDocument;
  readonly #phases: Partial<Record<Phase, number>> = {};
  readonly #warnings: Warning[] = [];
  #settled = false;

  constructor(page: Page, options: PageVisitOptions) {
    this.#page = page;
    this.#options = options;
    this.#consent = new ConsentDialogs(page.context());
    this.#failedFrames = new FailedFrames(page);
    this.#document = new MainDocument(page);
    this.#network = new NetworkActivity(page, (request) => this.#actionFor(request) === 'hold');
  }

  /** Failures of the site are results. @throws errors of the browser. */
  async open(site: string, signal?: AbortSignal): Promise<OpenPage | ClosedPage> {
    const abort = () => {
      // Pending calls on the page reject with a clear error.
      this.#page
        .context()
        .close()
        .catch((error: unknown) => void error);
    };
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const session = await this.#prepare();
      const budget = new TimeBudget(this.#options.navigationTimeoutMs);
      const failure = await this.#timed('navigate', () => this.#navigate(site, budget));
      if (failure !== undefined) return await this.#failed(failure, site);
      for (let documents = 1; documents <= MAX_DOCUMENTS; documents += 1) {
        const visited = await this.#visitDocument(site, { session, budget });
        if (visited !== 'replaced') return visited;
      }
      const reason = `The site replaced its page ${MAX_DOCUMENTS} times, so no picture was taken.`;
      return await this.#failed({ status: 'generic_error', reason }, site);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** @returns `replaced` if another document took the place of this one before it was ready. */
  async #visitDocument(
    site: string,
    { session, budget }: { session: CDPSession; budget: TimeBudget },
  ): Promise<OpenPage | ClosedPage | 'replaced'> {
    this.#settled = false;
    const before = this.#document.count;
    try {
      const failure = await this.#timed('navigate', () => this.#examine(site, budget));
      if (failure !== undefined) return await this.#failed(failure, site);
      const refresh = await this.#document.secondsToRefresh();
      if (refresh <= MAX_REFRESH_SECONDS && (await this.#document.isReplaced(refresh * 1_000 + LOAD_MS)))
        return 'replaced';
      const { count } = this.#document;
      await this.#settle();
      if (this.#document.count > count || this.#document.isError) return 'replaced';
      return await this.#ready(session);
    } catch (error) {
      if (!isDocumentReplaced(error) || this.#page.isClosed()) throw error;
      // On a busy machine the next document arrives late. Until then each call would fail again.
      if (this.#document.count === before) await this.#document.isReplaced(LOAD_MS);
      return 'replaced';
    }
  }

  async #prepare(): Promise<CDPSession> {
    const { device, version } = this.#options;
    const context = this.#page.context();
    refuseRequestsOf(this.#page);
    await context.addInitScript({ content: RECORD_DECLARATIONS });
    await this.#consent.prepare();
    await context.route('**/*', (route) => this.#answer(route));
    const session = await context.newCDPSession(this.#page);
    await emulateDevice(session, device, version);
    return session;
  }

  async #answer(route: Route): Promise<void> {
    const request = route.request();
    try {
      if (this.#settled && isNavigation(request, this.#page)) return await route.abort('aborted');
      switch (this.#actionFor(request)) {
        case 'pass':
          return await route.continue();
        case 'empty':
          return await route.fulfill({ status: 200, contentType: 'text/html', body: '<!doctype html><title></title>' });
        case 'drop':
          return await route.abort('failed');
        case 'hold':
          return;
      }
    } catch (error) {
      // The request ended with its frame or page, so no response is needed.
      this.#options.log?.debug({ error: String(error), url: request.url() }, 'A request ended before the response.');
    }
  }

  #actionFor(request: Pick<Request, 'url' | 'resourceType'>): AdRequestAction {
    return this.#options.otherAds === 'keep' ? 'pass' : actionFor(request.url(), request.resourceType());
  }

  async #navigate(site: string, budget: TimeBudget): Promise<SiteFailure | undefined> {
    try {
      await goTo(this.#page, site, { budget, log: this.#options.log });
      return undefined;
    } catch (error) {
      return isDocumentReplaced(error) ? undefined : failureOfNavigation(error, site, this.#options.egressFailures());
    }
  }

  /** @returns why the present document shows no ads, or undefined if it can. */
  async #examine(site: string, budget: TimeBudget): Promise<SiteFailure | undefined> {
    const arrived = await this.#documentArrives(budget.left());
    const text = await this.#text();
    if (!arrived && text === '')
      return { status: 'net_read_timeout', reason: 'The site started to respond but did not send the page in time.' };
    if (this.#document.isError) {
      const error = new Error(this.#document.failure ?? 'The site did not answer.');
      return failureOfNavigation(error, site, this.#options.egressFailures());
    }
    const { response } = this.#document;
    if (response === null) return undefined;
    const answer = {
      status: response.status(),
      headers: await withDeadline(TEXT_MS, response.allHeaders()),
      text: await this.#source(),
    };
    return (
      failureOfResponse(answer.headers['x-tearsheet-egress'] === undefined ? answer : { ...answer, text }) ??
      challengeOfPage(answer, text.split(/\s+/).length)
    );
  }

  async #documentArrives(ms: number): Promise<boolean> {
    try {
      await this.#page.waitForLoadState('domcontentloaded', { timeout: Math.max(1, ms) });
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError') return false;
      throw error;
    }
  }

  /** The visible text. */
  #text(): Promise<string> {
    return withDeadline(
      TEXT_MS,
      this.#page.evaluate(() => (document.body?.innerText ?? '').trim().slice(0, 20_000)),
    );
  }

  #source(): Promise<string> {
    return withDeadline(
      TEXT_MS,
      this.#page.evaluate(() => (document.documentElement?.outerHTML ?? '').slice(0, 60_000)),
    );
  }

  /**
   * The steps share one time budget, and each may fail. The page scrolls while the search for a dialog runs, because most pages
   * have none. If there is a dialog, the page scrolls again after the answer, because many dialogs block scrolling.
   */
  async #settle(): Promise<void> {
    const budget = new TimeBudget(this.#options.settleCapMs);
    const scroll = (stop?: () => boolean) =>
      this.#timed('scroll', () => scrollThrough(this.#page, budget.left(SCROLL_MS), stop));
    const rest = () => this.#timed('settle', () => this.#network.quiet(budget.left(QUIET_MS)));
    const scrolled = this.#timed('load', () => this.#loaded(budget.left(LOAD_MS))).then(() =>
      scroll(() => this.#consent.isFound),
    );
    const answering = this.#timed('consent', () =>
      this.#consent.answer(this.#page, { ms: budget.left(), scrolled, rested: scrolled.then(rest) }),
    );
    const [wasAsked] = await Promise.all([answering, scrolled]);
    if (wasAsked) await scroll();
    if (this.#consent.isAnswered)
      this.#warnings.push({ code: 'overlay_hidden', message: 'Tearsheet answered the consent dialog of the page.' });
    await rest();
  }

  /** Waits for the load event, or until only endless requests remain. */
  async #loaded(ms: number): Promise<void> {
    try {
      await Promise.race([this.#page.waitForLoadState('load', { timeout: ms + 1 }), this.#network.quiet(ms + 1)]);
    } catch (error) {
      if (!(error instanceof Error && error.name === 'TimeoutError')) throw error;
    }
  }

  async #ready(session: CDPSession): Promise<OpenPage | 'replaced'> {
    const live = new LivePage(this.#page, session);
    await this.#failedFrames.makeBlank();
    // Some pages are invisible until an animation ends.
    await live.freeze();
    const slots = await this.#timed('find', () => withDeadline(FIND_MS, findSlots(this.#page)));
    // A page that only leads to another one by a timer has no slots.
    if (slots.length === 0 && (await this.#document.isReplaced(QUIET_MS))) return 'replaced';
    this.#settled = true;
    const placement = new AdPlacer(live, slots, this.#options.device.viewport, this.#warnings);
    return {
      status: 'ready',
      finalUrl: this.#page.url(),
      candidates: slots.map(({ candidate }) => candidate),
      phases: { ...this.#phases },
      place: (frame, options) => placement.place(frame, options),
      close: () => this.#close(),
    };
  }

  async #failed(failure: SiteFailure, site: string): Promise<ClosedPage> {
    const url = this.#page.url();
    await this.#close();
    return { ...failure, candidates: [], finalUrl: /^https?:/.test(url) ? url : site };
  }

  async #close(): Promise<void> {
    await withDeadline(10_000, this.#page.context().close());
  }

  async #timed<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await work();
    } finally {
      this.#phases[phase] = (this.#phases[phase] ?? 0) + Math.round(performance.now() - startedAt);
    }
  }
}

/** Used after the slots are found, because a page that reloads itself would lose them. */
function isNavigation(request: Request, page: Page): boolean {
  return request.isNavigationRequest() && request.frame() === page.mainFrame();
}
