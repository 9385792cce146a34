import type { Protocol } from 'devtools-protocol';
import type { Phase } from '../../contract/captureProtocol.ts';
import type { Device } from '../../domain/devices.ts';
import type { PageAccess } from '../../domain/pageAccess.ts';
import type { OtherAds } from '../../domain/screenshotOptions.ts';
import type { AppliedRule } from '../../domain/siteRules.ts';
import type { Warning } from '../../domain/warnings.ts';
import type { EgressFailure } from '../../egress/errors.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { Log } from '../../lib/log.ts';
import { withSpan } from '../../observe/tracing.ts';
import { BrowserGoneError, CdpError } from '../browser/cdp.ts';
import type { Tab } from '../browser/tab.ts';
import type { Size } from '../creative/creative.ts';
import { AdPlacer, capturePage } from './adPlacer.ts';
import { AD_REQUESTS, type AdRequestAction, actionFor } from './adRequests.ts';
import { ConsentDialogs } from './consent.ts';
import { pictureOfFailure } from './failedPage.ts';
import { type FoundSlot, findSlots } from './findSlots.ts';
import { FailedFrames } from './frames.ts';
import { answerOf, type GivenPage } from './givenPage.ts';
import { LivePage } from './livePage.ts';
import {
  challengeOfPage,
  failureOfNavigation,
  failureOfResponse,
  goTo,
  isDocumentReplaced,
  MainDocument,
  refusesHttps,
  type SiteFailure,
} from './navigation.ts';
import type { ClosedPage, OpenPage, PagePicture } from './page.ts';
import { NetworkActivity, type PageRequest, scrollThrough, TimeBudget } from './settle.ts';
import { SiteHeaders, setCookies } from './siteAccess.ts';
import { PageRules, ruleWarnings } from './siteRules.ts';
import { StyleSheets } from './styles.ts';

export interface PageVisitOptions {
  readonly device: Device;
  readonly otherAds: OtherAds;
  readonly access: PageAccess | undefined;
  readonly rules: readonly AppliedRule[];
  /** Is shown instead of the site. */
  readonly given: GivenPage | undefined;
  readonly mayUseHttp: boolean;
  readonly navigationTimeoutMs: number;
  readonly settleCapMs: number;
  readonly egressFailures: () => readonly EgressFailure[];
  readonly log: Log | undefined;
}

const SCROLL_MS = 6_000;
const LOAD_MS = 3_000;
const QUIET_MS = 2_500;
const FIND_MS = 20_000;
const IMAGE_MS = 15_000;
const PAGE_GIVEN: Warning = {
  code: 'page_given',
  message: 'The page was given by the user as a file. It was not opened at its address.',
};
const HTTP_USED: Warning = {
  code: 'http_used',
  message: 'The site refuses https, so the page was opened by http, without encryption.',
};
/** For the styles and images of a page that refuses the visit. */
const REFUSAL_MS = 2_000;
/** A page that refreshes itself later than that is a page to look at. */
const MAX_REFRESH_SECONDS = 10;
/** Documents of one site that replace each other, by a refresh or by a script. */
const MAX_DOCUMENTS = 4;
/** A page with busy scripts answers late, most of all on a busy node. */
const TEXT_MS = 15_000;

const BLANK_DOCUMENT = {
  responseCode: 200,
  responseHeaders: [{ name: 'content-type', value: 'text/html' }],
  body: Buffer.from('<!doctype html><title></title>').toString('base64'),
};

/** Opens one site: navigates, answers consent dialogs, scrolls, waits until the page is quiet, and finds the slots. */
export class PageVisit {
  readonly #tab: Tab;
  readonly #options: PageVisitOptions;
  readonly #consent: ConsentDialogs;
  readonly #failedFrames: FailedFrames;
  readonly #network: NetworkActivity;
  readonly #styleSheets: StyleSheets;
  readonly #document: MainDocument;
  readonly #phases: Partial<Record<Phase, number>> = {};
  readonly #rules: PageRules;
  readonly #warnings: Warning[] = [];
  #refusesNavigation = false;
  #siteHeaders: SiteHeaders | undefined;

  constructor(tab: Tab, options: PageVisitOptions) {
    this.#tab = tab;
    this.#options = options;
    this.#consent = new ConsentDialogs(tab);
    this.#failedFrames = new FailedFrames(tab);
    this.#styleSheets = new StyleSheets(tab);
    this.#document = new MainDocument(tab);
    this.#rules = new PageRules(tab, options.rules);
    this.#network = new NetworkActivity(tab.session, (request) => this.#actionFor(request) === 'hold');
  }

  /** Failures of the site are results. @throws errors of the browser. */
  async open(site: string, signal?: AbortSignal): Promise<OpenPage | ClosedPage> {
    const abort = () => {
      // Pending calls on the page reject with a clear error.
      this.#tab.close().catch((error: unknown) => void error);
    };
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      await this.#prepare(site);
      const budget = new TimeBudget(this.#options.navigationTimeoutMs);
      const failure = await this.#timed('navigate', () => this.#navigate(site, budget));
      if (failure !== undefined) return await this.#failed(failure, site);
      for (let documents = 1; documents <= MAX_DOCUMENTS; documents += 1) {
        const visited = await this.#visitDocument(site, budget);
        if (visited !== 'replaced') return visited;
      }
      const reason = `The site replaced its page ${MAX_DOCUMENTS} times, so no picture was taken.`;
      return await this.#failed(this.#rules.blamed({ status: 'generic_error', reason }), site);
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** @returns `replaced` if another document took the place of this one before it was ready. */
  async #visitDocument(site: string, budget: TimeBudget): Promise<OpenPage | ClosedPage | 'replaced'> {
    const before = this.#document.count;
    try {
      const failure = await this.#timed('navigate', () => this.#examine(site, budget));
      if (failure !== undefined) return await this.#failed(this.#rules.blamed(failure), site);
      const refresh = await this.#document.secondsToRefresh();
      if (this.#options.given?.isScreenshot) return await this.#showImage(site);
      if (refresh <= MAX_REFRESH_SECONDS && (await this.#document.isReplaced(refresh * 1_000 + LOAD_MS)))
        return 'replaced';
      const { count } = this.#document;
      await this.#settle();
      const fault = await this.#applyRules();
      if (fault !== undefined) return await this.#failed(fault, site);
      if (this.#document.count > count || this.#document.isError) return 'replaced';
      const ready = await this.#ready();
      return this.#rules.left === undefined ? ready : await this.#failed(this.#rules.left, site);
    } catch (error) {
      if (!isDocumentReplaced(error) || this.#tab.isLost) throw error;
      // On a busy machine the next document arrives late. Until then each call would fail again.
      if (this.#document.count === before) await this.#document.isReplaced(LOAD_MS);
      return 'replaced';
    }
  }

  async #prepare(site: string): Promise<void> {
    const { session } = this.#tab;
    const { access } = this.#options;
    this.#siteHeaders = access && new SiteHeaders(site, access.headers);
    session.on('Fetch.requestPaused', (paused) => void this.#answer(paused));
    await Promise.all([this.#consent.prepare(), setCookies(session, site, access?.cookies ?? []), this.#intercept([])]);
  }

  /** Pauses requests for ads, and those that match these patterns. */
  async #intercept(more: readonly Protocol.Fetch.RequestPattern[]): Promise<void> {
    const ads = this.#options.otherAds === 'keep' ? [] : AD_REQUESTS.map((urlPattern) => ({ urlPattern }));
    // Requests for the same address in frames are answered too, because all frames share the session.
    const all = this.#options.given ? [{ urlPattern: '*' }] : [];
    const patterns = [...all, ...ads, ...(this.#siteHeaders?.patterns ?? []), ...more];
    if (patterns.length > 0) await this.#tab.session.send('Fetch.enable', { patterns });
  }

  async #answer({ requestId, request, resourceType, frameId }: Protocol.Fetch.RequestPausedEvent) {
    const { url } = request;
    const { session, mainFrame } = this.#tab;
    const isNavigation = resourceType === 'Document' && frameId === mainFrame.id;
    try {
      if (isNavigation && (this.#refusesNavigation || this.#rules.refuses(url)))
        return await session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
      switch (this.#actionFor({ url, type: resourceType })) {
        case 'pass':
          if (this.#options.given) return await this.#answerGiven(requestId, url);
          return await session.send('Fetch.continueRequest', { requestId, ...this.#siteHeaders?.addedTo(request) });
        case 'empty':
          return await session.send('Fetch.fulfillRequest', { requestId, ...BLANK_DOCUMENT });
        case 'drop':
          return await session.send('Fetch.failRequest', { requestId, errorReason: 'Failed' });
        case 'hold':
          return;
      }
    } catch (error) {
      // The request ended with its frame or page, so no response is needed.
      this.#options.log?.debug({ error: String(error), url }, 'A request ended before the response.');
    }
  }

  /** A given page has only its own parts. */
  async #answerGiven(requestId: string, url: string): Promise<void> {
    const { session } = this.#tab;
    const part = URL.canParse(url) ? this.#options.given?.partAt(url) : undefined;
    if (part) await session.send('Fetch.fulfillRequest', { requestId, ...answerOf(part) });
    else await session.send('Fetch.failRequest', { requestId, errorReason: 'InternetDisconnected' });
  }

  #actionFor({ url, type }: PageRequest): AdRequestAction {
    return this.#options.otherAds === 'keep' ? 'pass' : actionFor(url, type);
  }

  async #navigate(
    site: string,
    budget: TimeBudget,
    mayUseHttp = this.#options.mayUseHttp,
  ): Promise<SiteFailure | undefined> {
    try {
      await goTo(this.#tab, site, { budget, log: this.#options.log });
      return undefined;
    } catch (error) {
      if (isDocumentReplaced(error)) return undefined;
      // The browser failed, not the site.
      if (error instanceof BrowserGoneError || error instanceof CdpError) throw error;
      const failures = this.#options.egressFailures();
      const failure = failureOfNavigation(error, site, failures);
      if (!mayUseHttp || !refusesHttps(error, site, failures)) return failure;
      if (await this.#navigate(site.replace(/^https:/, 'http:'), budget, false)) return failure;
      this.#warnings.push(HTTP_USED);
      return undefined;
    }
  }

  /** @returns why the present document shows no ads, or undefined if it can. */
  async #examine(site: string, budget: TimeBudget): Promise<SiteFailure | undefined> {
    const arrived = await this.#tab.reached('parsed', budget.left());
    const { text, source } = await withDeadline(TEXT_MS, this.#tab.mainFrame.evaluate(contentOfDocument));
    if (!arrived && text === '')
      return { status: 'net_read_timeout', reason: 'The site started to respond but did not send the page in time.' };
    if (this.#document.isError) {
      const error = new Error(this.#document.failure ?? 'The site did not answer.');
      return failureOfNavigation(error, site, this.#options.egressFailures());
    }
    const { response } = this.#document;
    if (response === undefined) return undefined;
    const isOfProxy = response.headers['x-tearsheet-egress'] !== undefined;
    return (
      failureOfResponse({ ...response, text: isOfProxy ? text : source }) ??
      challengeOfPage({ ...response, text: source }, text.split(/\s+/).length)
    );
  }

  /**
   * The steps share one time budget, and each may fail. The page scrolls while the search for a dialog runs, because most pages
   * have none. If there is a dialog, the page scrolls again after the answer, because many dialogs block scrolling.
   */
  async #settle(): Promise<void> {
    const budget = new TimeBudget(this.#options.settleCapMs);
    const scroll = (stop?: () => boolean) =>
      this.#timed('scroll', () => scrollThrough(this.#tab.mainFrame, budget.left(SCROLL_MS), stop));
    const rest = () => this.#timed('settle', () => this.#network.quiet(budget.left(QUIET_MS)));
    const scrolled = this.#timed('load', () => this.#loaded(budget.left(LOAD_MS))).then(() =>
      scroll(() => this.#consent.isFound),
    );
    const answering = this.#timed('consent', () =>
      this.#consent.answer({ ms: budget.left(), rested: scrolled.then(rest) }),
    );
    const [wasAsked] = await Promise.all([answering, scrolled]);
    if (wasAsked) await scroll();
    if (this.#consent.isAnswered)
      this.#warnings.push({ code: 'overlay_hidden', message: 'Tearsheet answered the consent dialog of the page.' });
    await rest();
  }

  /** @returns the failure of the page, if a rule is the reason. */
  async #applyRules(): Promise<SiteFailure | undefined> {
    if (this.#rules.clicks) await this.#intercept([{ urlPattern: '*', resourceType: 'Document' }]);
    return this.#timed('settle', () => this.#rules.apply((ms) => this.#network.quiet(ms)));
  }

  /** Waits for the load event, or until only endless requests remain. */
  async #loaded(ms: number): Promise<void> {
    await Promise.race([this.#tab.reached('loaded', ms), this.#network.quiet(ms + 1)]);
  }

  /** A screenshot has no dialogs and no slots. */
  async #showImage(site: string): Promise<OpenPage | ClosedPage> {
    await this.#tab.reached('loaded', IMAGE_MS);
    const isShown = await this.#tab.mainFrame.evaluate(() => (document.images[0]?.naturalWidth ?? 0) > 0);
    if (isShown) return this.#opened(new LivePage(this.#tab), []);
    const reason = 'The screenshot is damaged or too large to show. Upload it again as PNG, JPEG or WebP.';
    return this.#failed({ status: 'generic_error', reason }, site);
  }

  async #ready(): Promise<OpenPage | 'replaced'> {
    const live = new LivePage(this.#tab);
    await this.#failedFrames.makeBlank();
    // Some pages are invisible until an animation ends.
    await live.freeze();
    this.#warnings.push(...(await this.#styleSheets.warnings()));
    const { otherAds, device } = this.#options;
    const find = () => findSlots(this.#tab, otherAds, device.viewport);
    const slots = await this.#timed('find', () => withDeadline(FIND_MS, find()));
    // A page that only leads to another one by a timer has no slots.
    if (slots.length === 0 && (await this.#document.isReplaced(QUIET_MS))) return 'replaced';
    return this.#opened(live, slots);
  }

  async #opened(live: LivePage, slots: readonly FoundSlot[]): Promise<OpenPage> {
    // A page that reloads itself would lose the slots.
    this.#refusesNavigation = true;
    await this.#intercept([{ urlPattern: '*', resourceType: 'Document' }]);
    const { device, rules, given } = this.#options;
    const { reports } = this.#rules;
    const warnings = [...(given ? [PAGE_GIVEN] : []), ...this.#warnings, ...ruleWarnings(reports)];
    const placer = new AdPlacer(live, slots, device.viewport, { warnings, rules });
    return {
      status: 'ready',
      finalUrl: this.#tab.url(),
      candidates: slots.map(({ candidate }) => candidate),
      ruleReports: reports,
      phases: { ...this.#phases },
      place: (frame, options) => placer.place(frame, options),
      placeTogether: (ads) => placer.placeTogether(ads),
      judge: (size) => placer.judge(size),
      slotOfRule: (size) => placer.slotOfRule(size),
      capture: (wanted) => placer.capture(wanted),
      close: () => this.#tab.close(),
    };
  }

  async #failed(failure: SiteFailure, site: string): Promise<ClosedPage> {
    const url = this.#tab.url();
    const picture = await this.pictureOfSite(site);
    await this.#tab.close();
    const finalUrl = /^https?:/.test(url) ? url : site;
    return { ...failure, candidates: [], finalUrl, picture, ruleReports: this.#rules.reports };
  }

  /** Shows the answer of a site that has no page with ads. @returns undefined if no document of the site arrived. */
  async pictureOfSite(site: string): Promise<PagePicture | undefined> {
    const { response, isError } = this.#document;
    if (response === undefined || response.headers['x-tearsheet-egress'] !== undefined || isError) return undefined;
    const capture = async (largest: Size) => {
      await this.#tab.reached('loaded', REFUSAL_MS);
      return capturePage(new LivePage(this.#tab), { largest });
    };
    return pictureOfFailure(capture, { site, log: this.#options.log });
  }

  async #timed<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await withSpan(phase, {}, work);
    } finally {
      this.#phases[phase] = (this.#phases[phase] ?? 0) + Math.round(performance.now() - startedAt);
    }
  }
}

/** Runs in the page. @returns the visible text and the beginning of the source. */
function contentOfDocument(): { text: string; source: string } {
  return {
    text: (document.body?.innerText ?? '').trim().slice(0, 20_000),
    source: (document.documentElement?.outerHTML ?? '').slice(0, 60_000),
  };
}
