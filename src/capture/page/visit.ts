import type { CDPSession, Page, Request, Response, Route } from 'playwright';
import type { Phase } from '../../contract/captureProtocol.ts';
import type { Device } from '../../domain/devices.ts';
import type { EgressFailure } from '../../egress/failures.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { Log } from '../../lib/log.ts';
import { fateOf } from './adRequests.ts';
import { Consent } from './consent.ts';
import { emulateDevice, refuseRequestsOf } from './deviceContext.ts';
import { findSlots } from './findSlots.ts';
import { challengeOfPage, failureOfAnswer, failureOfNavigation, type SiteFailure } from './httpOutcome.ts';
import { RECORD_DECLARATIONS } from './inPage/recorder.ts';
import { LivePage } from './livePage.ts';
import type { ClosedPage, OpenPage } from './page.ts';
import { Placement } from './placement.ts';
import { Budget, scrollThrough, Traffic } from './settle.ts';

export interface VisitOptions {
  readonly device: Device;
  /** Of the browser. */
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
/** A page whose scripts are busy answers late, above all on a busy node. */
const TEXT_MS = 15_000;

/** One opening of one site, from nothing to a settled page whose slots are known. */
export class Visit {
  readonly #page: Page;
  readonly #options: VisitOptions;
  readonly #consent: Consent;
  readonly #traffic: Traffic;
  readonly #phases: Partial<Record<Phase, number>> = {};
  #settled = false;

  constructor(page: Page, options: VisitOptions) {
    this.#page = page;
    this.#options = options;
    this.#consent = new Consent(page.context());
    this.#traffic = new Traffic(page, (request) => fateOf(request.url(), request.resourceType()) === 'hold');
  }

  /** @throws what the browser throws when it breaks; what the site does is an answer. */
  async open(site: string, signal?: AbortSignal): Promise<OpenPage | ClosedPage> {
    const abort = () => {
      // What waits for the page fails by it, and says so.
      this.#page
        .context()
        .close()
        .catch((error: unknown) => void error);
    };
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const session = await this.#prepare();
      const failure = await this.#timed('navigate', () => this.#navigate(site));
      if (failure !== undefined) return await this.#failed(failure, site);
      await this.#settle();
      return await this.#ready(session);
    } finally {
      signal?.removeEventListener('abort', abort);
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
      switch (fateOf(request.url(), request.resourceType())) {
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
      // The request has gone, with its frame or its page; there is nothing left to answer.
      this.#options.log?.debug({ error: String(error), url: request.url() }, 'A request went before it was answered.');
    }
  }

  async #navigate(site: string): Promise<SiteFailure | undefined> {
    const { navigationTimeoutMs, egressFailures } = this.#options;
    const budget = new Budget(navigationTimeoutMs);
    let response: Response | null;
    try {
      response = await this.#page.goto(site, { waitUntil: 'commit', timeout: navigationTimeoutMs });
    } catch (error) {
      return failureOfNavigation(error, site, egressFailures());
    }
    const arrived = await this.#documentArrives(budget.left());
    const text = await this.#text();
    if (!arrived && text === '')
      return { status: 'net_read_timeout', reason: 'The site began to answer and sent no page in time.' };
    if (response === null) return undefined;
    const answer = {
      status: response.status(),
      headers: await withDeadline(TEXT_MS, response.allHeaders()),
      text: await this.#source(),
    };
    return (
      failureOfAnswer(answer.headers['x-tearsheet-egress'] === undefined ? answer : { ...answer, text }) ??
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

  /** The words a reader sees. */
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
   * Each step may take what is left of the cap and no more; none has to succeed. Most pages have no dialog, and are scrolled
   * while one is looked for; one that has is scrolled when it has been answered, for many cannot be before.
   */
  async #settle(): Promise<void> {
    const budget = new Budget(this.#options.settleCapMs);
    const scroll = (stop?: () => boolean) =>
      this.#timed('scroll', () => scrollThrough(this.#page, budget.left(SCROLL_MS), stop));
    const rest = () => this.#timed('settle', () => this.#traffic.quiet(budget.left(QUIET_MS)));
    const scrolled = this.#timed('load', () => this.#loaded(budget.left(LOAD_MS))).then(() =>
      scroll(() => this.#consent.isFound),
    );
    const answering = this.#timed('consent', () =>
      this.#consent.answer(this.#page, { ms: budget.left(), rested: scrolled.then(rest) }),
    );
    const [wasAsked] = await Promise.all([answering, scrolled]);
    if (wasAsked) await scroll();
    await rest();
    this.#settled = true;
  }

  /** Or waits for nothing but what never ends. */
  async #loaded(ms: number): Promise<void> {
    try {
      await Promise.race([this.#page.waitForLoadState('load', { timeout: ms + 1 }), this.#traffic.quiet(ms + 1)]);
    } catch (error) {
      if (!(error instanceof Error && error.name === 'TimeoutError')) throw error;
    }
  }

  async #ready(session: CDPSession): Promise<OpenPage> {
    const slots = await this.#timed('find', () => withDeadline(FIND_MS, findSlots(this.#page)));
    const live = new LivePage(this.#page, session);
    const placement = new Placement(live, slots, this.#options.device.viewport);
    return {
      status: 'ready',
      finalUrl: this.#page.url(),
      candidates: slots.map(({ candidate }) => candidate),
      phases: { ...this.#phases },
      place: (frame) => placement.place(frame),
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

/** Slots are known by now; a page that reloads itself would lose them. */
function isNavigation(request: Request, page: Page): boolean {
  return request.isNavigationRequest() && request.frame() === page.mainFrame();
}
