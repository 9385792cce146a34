import type { CdpSession } from './cdp.ts';
import { FONT_FAMILIES } from './fonts.ts';
import { frameIds } from './frameTree.ts';
import { answers, endRunningScript } from './mainThread.ts';
import { PageResistsError } from './pageResists.ts';
import { failHung, leastOf, type Patience } from './patience.ts';
import { type PendingRequests, watchRequests } from './pendingRequests.ts';
import type { SteppedBrowser } from './steppedBrowser.ts';
import { sleep, Watch } from './watch.ts';

export interface SteppedPageOptions {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  readonly userAgent: string;
  /** `stepped`: virtual time. `wall`: real time, for pages on which virtual time does not move. */
  readonly clock: 'stepped' | 'wall';
  /** Shared by all passes over a creative. */
  readonly patience: Patience;
  readonly signal: AbortSignal;
}

/** Keeps its clock at a whole number of frames a second, as the browser's own. */
const FRAME_MS = 1000 / 60;
/** Between the pumped frames of one instant, so that the compositor takes them for different ones. */
const INSTANT_MS = 0.001;
const NUDGE_MS = 1;
const MAX_PUMPED_FRAMES = 200;
/** After so many the compositor is given time. */
const HASTY_FRAMES = 10;
/** Real time for the compositor to answer before the next frame of one instant. */
const PUMP_PAUSE_MS = 20;
const TICK_MS = 250;
/** Of our own scripts; a name keeps it the same for one document. */
const WORLD = 'tearsheet';
/** Real time without any progress after which a page is stuck, although its main thread answers and nothing is loading. */
const STUCK_MS = 6_000;
const MAX_ENDED_SCRIPTS = 3;
/** Real time that requests made after the network budget was spent may take, in all. */
const LATE_BUDGET_MS = 2_000;
/** Tasks that may run at one virtual instant, so that endless message loops do not hold the clock. */
const MAX_TASKS_AN_INSTANT = 2_000;

/** One document in a target of its own, whose clock and frames are driven. */
export class SteppedPage {
  readonly session: CdpSession;
  readonly requests: PendingRequests;
  /** What a reader of the record should know. */
  readonly notes = new Set<string>();
  readonly #browser: SteppedBrowser;
  readonly #contextId: string;
  readonly #options: SteppedPageOptions;
  readonly #crashed = Promise.withResolvers<never>();
  #base = 0;
  #now = 0;
  /** Of the frames pumped at this moment. */
  #instant = 0;
  #loaded = false;
  /** Whether the last frame differed from the one before. */
  #moved = false;
  #endedScripts = 0;
  #waitLeftMs: number;
  #lateSpentMs = 0;
  #policy: 'pauseIfNetworkFetchesPending' | 'advance' = 'pauseIfNetworkFetchesPending';

  private constructor(
    browser: SteppedBrowser,
    target: { contextId: string; sessionId: string },
    options: SteppedPageOptions,
  ) {
    this.#browser = browser;
    this.#contextId = target.contextId;
    this.#options = options;
    this.session = browser.cdp.session(target.sessionId);
    this.requests = watchRequests(this.session);
    this.#waitLeftMs = leastOf(options.patience);
    // Awaited in races only.
    this.#crashed.promise.catch(() => undefined);
  }

  static async open(browser: SteppedBrowser, options: SteppedPageOptions): Promise<SteppedPage> {
    const { width, height } = options;
    const { root } = browser.cdp;
    const { browserContextId } = await root.send('Target.createBrowserContext', { disposeOnDetach: true });
    const { targetId } = await root.send('Target.createTarget', {
      url: 'about:blank',
      browserContextId,
      width,
      height,
      enableBeginFrameControl: true,
    });
    const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
    await root.send('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId });
    const page = new SteppedPage(browser, { contextId: browserContextId, sessionId }, options);
    await page.#prepare();
    return page;
  }

  /** Milliseconds of the page's own time. */
  get now(): number {
    return this.#now;
  }

  /** True once the document and the frames in it have loaded. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** Starts to load `url`; the first {@link advance} waits for it. @throws PageResistsError when it cannot be reached. */
  async navigate(url: string): Promise<void> {
    this.#loaded = false;
    const { errorText } = await this.#guarded(this.session.send('Page.navigate', { url }, 60_000));
    if (errorText) throw new PageResistsError('stuck', `${url} could not be opened: ${errorText}`);
  }

  /** Lets `ms` pass and draws nothing, as while a document loads. */
  async wait(ms: number): Promise<void> {
    await this.#pass(ms);
  }

  /** Lets `ms` pass and draws a frame. @returns whether the frame differs from the one before. */
  async advance(ms: number): Promise<{ damage: boolean }> {
    await this.#pass(ms);
    const { hasDamage } = await this.#frame();
    this.#moved = hasDamage;
    return { damage: hasDamage };
  }

  /** The page as it stands at this moment, as a PNG of the viewport in device pixels. */
  async picture(): Promise<Buffer> {
    const data = this.#options.ratio === 1 ? await this.#frameShot() : await this.#pumpedShot();
    return Buffer.from(data, 'base64');
  }

  /** Evaluates in a world of ours, in the main frame or in a frame of it. @returns undefined when it fails. */
  async evaluate(expression: string, frameId?: string): Promise<unknown> {
    const id = frameId ?? (await this.#guarded(this.session.send('Page.getFrameTree'))).frameTree.frame.id;
    const world = await this.#guarded(this.session.send('Page.createIsolatedWorld', { frameId: id, worldName: WORLD }));
    const { result, exceptionDetails } = await this.#guarded(
      this.session.send('Runtime.evaluate', {
        contextId: world.executionContextId,
        expression,
        returnByValue: true,
      }),
    );
    return exceptionDetails ? undefined : result.value;
  }

  /** The document's first frame, in which a creative stands. */
  async childFrame(): Promise<string | undefined> {
    const { frameTree } = await this.#guarded(this.session.send('Page.getFrameTree'));
    return frameTree.childFrames?.[0]?.frame.id;
  }

  /** True while an animation that ends by itself has not ended, in any frame. */
  async hasUnfinishedAnimations(): Promise<boolean> {
    const { frameTree } = await this.#guarded(this.session.send('Page.getFrameTree'));
    for (const id of frameIds(frameTree)) {
      if ((await this.evaluate(UNFINISHED_ANIMATIONS, id)) === true) return true;
    }
    return false;
  }

  async close(): Promise<void> {
    this.session.release();
    if (!this.#browser.alive()) return;
    await this.#browser.cdp.root.send('Target.disposeBrowserContext', { browserContextId: this.#contextId }, 5_000);
  }

  async #prepare(): Promise<void> {
    const { session } = this;
    const { width, height, ratio, userAgent, clock } = this.#options;
    session.on('Inspector.targetCrashed', () =>
      this.#crashed.reject(
        new PageResistsError('crash', 'The creative crashed the browser (it may need too much memory).'),
      ),
    );
    session.on('Page.javascriptDialogOpening', ({ type }) => {
      this.notes.add(`A dialog (${type}) was dismissed.`);
      session.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }).catch(() => undefined);
    });
    session.on('Page.loadEventFired', () => {
      this.#loaded = true;
    });
    await Promise.all([
      session.send('Inspector.enable'),
      session.send('Page.enable'),
      session.send('Network.enable'),
      session.send('Emulation.setFocusEmulationEnabled', { enabled: true }),
      session.send('Emulation.setUserAgentOverride', { userAgent, platform: 'Win32' }),
      session.send('Page.setFontFamilies', { fontFamilies: FONT_FAMILIES }),
      session.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: ratio, mobile: false }),
    ]);
    await failHung(session, this.#options.patience);
    if (clock === 'wall') return;
    const { virtualTimeTicksBase } = await session.send('Emulation.setVirtualTimePolicy', { policy: 'pause' });
    this.#base = virtualTimeTicksBase;
  }

  async #pass(ms: number): Promise<void> {
    if (this.#options.clock === 'wall') await this.#guarded(sleep(ms));
    else await this.#grant(ms);
    this.#now += ms;
    this.#instant = 0;
  }

  async #grant(ms: number): Promise<void> {
    if (this.#policy === 'advance') await this.#waitForLateRequests();
    const { expired, started } = this.#startGrant(ms);
    await this.#guarded(Promise.all([started, expired]), () => this.#giveUpOnNetwork());
  }

  #startGrant(ms: number): { expired: Promise<void>; started: Promise<unknown> } {
    const { promise: expired, resolve } = Promise.withResolvers<void>();
    const off = this.session.on('Emulation.virtualTimeBudgetExpired', () => {
      off();
      resolve();
    });
    const started = this.session.send('Emulation.setVirtualTimePolicy', {
      policy: this.#policy,
      budget: ms,
      maxVirtualTimeTaskStarvationCount: MAX_TASKS_AN_INSTANT,
    });
    return { expired, started };
  }

  /** When the budget for waiting is spent: time goes on without what is still loading. */
  async #giveUpOnNetwork(): Promise<void> {
    if (this.#policy === 'advance' || this.requests.open() === 0) return;
    this.#waitLeftMs -= TICK_MS;
    this.#options.patience.leftMs -= TICK_MS;
    if (this.#waitLeftMs > 0) return;
    const hung = this.requests.giveUp();
    for (const [url, type] of hung) this.#options.patience.hung.set(url, type);
    this.#policy = 'advance';
    this.notes.add(`Not waited for any longer: ${namesOf(hung.map(([url]) => url))}.`);
    // Without a budget: the grant that is open keeps its own, and its event comes.
    await this.session.send('Emulation.setVirtualTimePolicy', { policy: 'advance' });
  }

  async #waitForLateRequests(): Promise<void> {
    while (this.requests.open() > 0 && this.#lateSpentMs < LATE_BUDGET_MS) {
      await this.#guarded(sleep(10));
      this.#lateSpentMs += 10;
    }
  }

  #frame(screenshot?: { format: 'png' }): Promise<{ hasDamage: boolean; screenshotData?: string }> {
    const frameTimeTicks =
      this.#options.clock === 'wall' ? {} : { frameTimeTicks: this.#base + this.#now + this.#instant };
    const frame = this.session.send(
      'HeadlessExperimental.beginFrame',
      { ...frameTimeTicks, interval: FRAME_MS, noDisplayUpdates: false, ...(screenshot && { screenshot }) },
      60_000,
    );
    return this.#guarded(frame, () => this.#nudge());
  }

  /** A frame that does not end waits for the page's clock. */
  async #nudge(): Promise<void> {
    if (this.#options.clock === 'wall') return;
    await this.session.send('Emulation.setVirtualTimePolicy', { policy: this.#policy, budget: NUDGE_MS });
    this.#now += NUDGE_MS;
  }

  async #frameShot(): Promise<string> {
    for (let attempt = 0; attempt < MAX_PUMPED_FRAMES; attempt++) {
      if (attempt > HASTY_FRAMES) await this.#guarded(sleep(PUMP_PAUSE_MS));
      this.#instant += INSTANT_MS;
      const { screenshotData } = await this.#frame({ format: 'png' });
      if (screenshotData) return screenshotData;
    }
    throw noPicture();
  }

  /** The picture of a frame ignores the pixel ratio; the page's own does not, and needs frames until it answers. */
  async #pumpedShot(): Promise<string> {
    const { width, height } = this.#options;
    let done = false;
    const shot = this.session
      .send('Page.captureScreenshot', { format: 'png', clip: { x: 0, y: 0, width, height, scale: 1 } }, 30_000)
      .finally(() => {
        done = true;
      });
    const answered = shot.then(
      () => undefined,
      () => undefined,
    );
    // What moves must meet the same number of frames in every render, so each of them is let through.
    for (let frames = 0; !done && frames < MAX_PUMPED_FRAMES; frames++) {
      if (this.#moved || frames > HASTY_FRAMES) await Promise.race([answered, sleep(PUMP_PAUSE_MS)]);
      if (done) break;
      this.#instant += INSTANT_MS;
      await this.#frame();
    }
    if (!done) throw noPicture();
    return (await shot).data;
  }

  /** Awaits `work` against crash, abort, endless scripts and standstill; `tick` is called now and then. */
  async #guarded<T>(work: Promise<T>, tick: () => Promise<void> = async () => undefined): Promise<T> {
    const { signal } = this.#options;
    signal.throwIfAborted();
    const quit = Promise.withResolvers<never>();
    const abort = () => quit.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const watch = new Watch();
    try {
      const watching = this.#watchOver(watch, tick);
      return await Promise.race([work, this.#crashed.promise, quit.promise, watching]);
    } finally {
      watch.end();
      signal.removeEventListener('abort', abort);
      // The race may have been lost by work that fails later.
      work.catch(() => undefined);
    }
  }

  async #watchOver(watch: Watch, tick: () => Promise<void>): Promise<never> {
    let stillMs = 0;
    while (await watch.wait(TICK_MS)) {
      const free = await answers(this.session);
      if (watch.ended) break;
      if (!free) {
        await this.#endScript();
        stillMs = 0;
        continue;
      }
      await tick();
      if (this.requests.open() > 0 && this.#policy !== 'advance') continue;
      stillMs += TICK_MS;
      if (stillMs >= STUCK_MS) throw new PageResistsError('stuck', 'The creative stands still in stepped time.');
    }
    return new Promise<never>(() => undefined);
  }

  async #endScript(): Promise<void> {
    this.#endedScripts += 1;
    if (this.#endedScripts > MAX_ENDED_SCRIPTS)
      throw new PageResistsError('endless_script', 'The creative has a script that never ends.');
    this.notes.add('A script that did not end was stopped.');
    await endRunningScript(this.session);
  }
}

const UNFINISHED_ANIMATIONS = `document.getAnimations().some((animation) =>
  animation.playState === 'running' && Number.isFinite(animation.effect?.getComputedTiming().endTime))`;

function noPicture(): PageResistsError {
  return new PageResistsError('no_picture', 'The creative draws nothing: something that it waits for never comes.');
}

function namesOf(urls: readonly string[]): string {
  const shown = urls.slice(0, 3).map((url) => {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`.slice(0, 120);
  });
  return shown.join(', ') + (urls.length > shown.length ? ` and ${urls.length - shown.length} more` : '');
}
