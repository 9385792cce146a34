import { type CdpSession, RenderingBlockedError } from './cdp.ts';
import { FrameDriver } from './frameDriver.ts';
import { type FrameNeed, FrameNeeds, IsolatedWorlds, PageWorkers } from './frameNeeds.ts';
import { PageGuard } from './pageGuard.ts';
import {
  interceptRequests,
  type NetworkBudget,
  type PendingRequests,
  type SubstituteScript,
  trackRequests,
} from './requests.ts';
import type { SteppedBrowser } from './steppedBrowser.ts';
import { type PageClock, SteppedClock, WallClock } from './steppedClock.ts';

export interface SteppedPageOptions {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  readonly userAgent: string;
  /** `stepped`: virtual time. `wall`: real time, for pages on which virtual time does not move. */
  readonly clock: 'stepped' | 'wall';
  /** Shared by all renderings of one creative. */
  readonly networkBudget: NetworkBudget;
  /**
   * The time of day at which stepped time starts, in milliseconds since 1970. Scripts see whole milliseconds, so a different
   * fraction of a millisecond gives different pictures.
   */
  readonly startDate: number;
  /** Default: none. */
  readonly substitutes?: readonly SubstituteScript[];
  readonly signal: AbortSignal;
}

/** The generic families as Playwright sets them on Linux, so that both browsers paint the same text. */
const FONT_FAMILIES = {
  standard: 'Times New Roman',
  fixed: 'Monospace',
  serif: 'Times New Roman',
  sansSerif: 'Arial',
  cursive: 'Comic Sans MS',
  fantasy: 'Impact',
};

/** One document in a browser target of its own. Its user advances the clock and draws the frames. */
export class SteppedPage {
  readonly session: CdpSession;
  readonly requests: PendingRequests;
  /** Facts for the provenance record, for example dismissed dialogs. */
  readonly notes = new Set<string>();
  readonly #browser: SteppedBrowser;
  readonly #contextId: string;
  readonly #options: SteppedPageOptions;
  readonly #guard: PageGuard;
  readonly #clock: PageClock;
  readonly #frames: FrameDriver;
  readonly #worlds: IsolatedWorlds;
  readonly #workers: PageWorkers;
  readonly #frameNeeds: FrameNeeds;
  #loadedAt: number | undefined;

  private constructor(
    browser: SteppedBrowser,
    target: { contextId: string; sessionId: string },
    options: SteppedPageOptions,
  ) {
    this.#browser = browser;
    this.#contextId = target.contextId;
    this.#options = options;
    const session = browser.cdp.session(target.sessionId);
    const requests = trackRequests(session);
    const { notes } = this;
    const { signal, networkBudget, startDate } = options;
    const isLoading = () => requests.openCount() > 0 && this.#clock.waitsForNetwork;
    const guard = new PageGuard(session, { signal, notes, isLoading });
    const clock =
      options.clock === 'wall'
        ? new WallClock(guard)
        : new SteppedClock({ session, guard, requests, networkBudget, startDate, notes });
    this.session = session;
    this.requests = requests;
    this.#guard = guard;
    this.#clock = clock;
    this.#frames = new FrameDriver({ session, guard, clock });
    this.#worlds = new IsolatedWorlds(session);
    this.#workers = new PageWorkers(session, (id) => browser.cdp.session(id));
    this.#frameNeeds = new FrameNeeds(guard, this.#worlds, this.#workers);
  }

  static async open(browser: SteppedBrowser, options: SteppedPageOptions): Promise<SteppedPage> {
    const { width, height, ratio } = options;
    const { root } = browser.cdp;
    const { browserContextId } = await root.send('Target.createBrowserContext', { disposeOnDetach: true });
    const { targetId } = await root.send('Target.createTarget', {
      url: 'about:blank',
      browserContextId,
      // In device pixels, because the picture of a frame has the size of the window.
      width: Math.round(width * ratio),
      height: Math.round(height * ratio),
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
    return this.#clock.now;
  }

  /** The time at which the document and its iframes had loaded; undefined before. */
  get loadedAt(): number | undefined {
    return this.#loadedAt;
  }

  /** Starts to load `url`; the first {@link advance} waits for it. @throws RenderingBlockedError if it cannot be opened. */
  async navigate(url: string): Promise<void> {
    this.#loadedAt = undefined;
    const { errorText } = await this.#guard.waitFor(this.session.send('Page.navigate', { url }, 60_000));
    if (errorText) throw new RenderingBlockedError('stuck', `${url} could not be opened: ${errorText}`);
  }

  /** Advances the clock by `ms` and draws nothing, for example while a document loads. */
  async wait(ms: number): Promise<void> {
    await this.#clock.advance(ms);
    if (this.#workers.count > 0) await this.#guard.waitFor(this.#workers.settle());
  }

  /** Draws the frame of this moment. @returns whether it differs from the previous one. */
  async draw(): Promise<{ damage: boolean }> {
    return { damage: await this.#frames.draw() };
  }

  /** Draws the frame of this moment. @returns it as a PNG in device pixels. */
  async drawPicture(): Promise<{ damage: boolean; picture: Buffer }> {
    const { damage, picture } = await this.#frames.drawPicture();
    return { damage, picture: Buffer.from(picture, 'base64') };
  }

  /** @returns whether the document and its iframes need a frame. Each call tells what changed since the previous one. */
  frameNeed(): Promise<FrameNeed> {
    return this.#frameNeeds.check();
  }

  /** Evaluates in our isolated world, in the main frame or in the given iframe. @returns undefined if the script throws. */
  async evaluate(expression: string, frameId?: string): Promise<unknown> {
    const id = frameId ?? (await this.#frameTree()).frame.id;
    return this.#guard.waitFor(this.#worlds.evaluate(id, expression));
  }

  /** @returns the id of the document's first iframe, which holds the creative. */
  async childFrame(): Promise<string | undefined> {
    return (await this.#frameTree()).childFrames?.[0]?.frame.id;
  }

  /** @returns true while an animation with an end is still running, in the document or in an iframe. */
  async hasUnfinishedAnimations(): Promise<boolean> {
    for (const id of this.#worlds.frameIds()) {
      if ((await this.evaluate(UNFINISHED_ANIMATIONS, id)) === true) return true;
    }
    return false;
  }

  async close(): Promise<void> {
    this.session.release();
    if (!this.#browser.isAlive()) return;
    await this.#browser.cdp.root.send('Target.disposeBrowserContext', { browserContextId: this.#contextId }, 5_000);
  }

  /** `stepped`, or `wall` for real time. */
  get clock(): 'stepped' | 'wall' {
    return this.#options.clock;
  }

  async #frameTree() {
    return (await this.#guard.waitFor(this.session.send('Page.getFrameTree'))).frameTree;
  }

  async #prepare(): Promise<void> {
    const { session } = this;
    const { width, height, ratio, userAgent } = this.#options;
    session.on('Page.javascriptDialogOpening', ({ type }) => {
      this.notes.add(`A dialog (${type}) was dismissed.`);
      session.send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' }).catch(() => undefined);
    });
    session.on('Page.loadEventFired', ({ timestamp }) => {
      this.#loadedAt = this.#clock.timeOf(timestamp);
    });
    await Promise.all([
      session.send('Inspector.enable'),
      session.send('Page.enable'),
      session.send('Network.enable'),
      session.send('Emulation.setFocusEmulationEnabled', { enabled: true }),
      session.send('Emulation.setUserAgentOverride', { userAgent, platform: 'Win32' }),
      session.send('Page.setFontFamilies', { fontFamilies: FONT_FAMILIES }),
      session.send('Emulation.setDeviceMetricsOverride', {
        width,
        height,
        deviceScaleFactor: ratio,
        mobile: false,
        // The document fills the window, which keeps its size in device pixels.
        scale: ratio,
        dontSetVisibleSize: true,
      }),
    ]);
    if (this.clock === 'stepped') await startClocksAboveZero(session);
    await this.#workers.start();
    const { networkBudget, substitutes = [] } = this.#options;
    await interceptRequests(session, { networkBudget, substitutes, notes: this.notes });
    await this.#clock.start();
  }
}

const UNFINISHED_ANIMATIONS = `document.getAnimations().some((animation) =>
  animation.playState === 'running' && Number.isFinite(animation.effect?.getComputedTiming().endTime))`;

/**
 * Runs in a new document, before its own scripts. In virtual time no time passes between the creation of some documents and
 * their first script, for example in an iframe that a script writes. In real time some does. Libraries take 0 for a missing
 * clock, and CreateJS then draws nothing.
 */
function startClockAboveZero() {
  const smallest = 0.1;
  if (performance.now() >= smallest) return;
  Performance.prototype.now = new Proxy(Performance.prototype.now, {
    apply: (now, clock, values) => Math.max(Reflect.apply(now, clock, values), smallest),
  });
}

/** Lets `performance.now()` start at the smallest time that a browser reports, in each further document of a page. */
async function startClocksAboveZero(session: CdpSession): Promise<void> {
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: `(${startClockAboveZero})()` });
}
