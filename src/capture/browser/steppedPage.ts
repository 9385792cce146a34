import { errorMessage } from '../../lib/errorMessage.ts';
import { sleep } from '../../lib/sleep.ts';
import type { BrowserPage, BrowserProcess } from './browserProcess.ts';
import { BrowserGoneError, type CdpSession, RenderingBlockedError } from './cdp.ts';
import { FRAME_REQUESTED, type FrameNeed, IsolatedWorlds, PageWorkers, readFrameNeed } from './frameNeeds.ts';
import { PageGuard } from './pageGuard.ts';
import { interceptRequests, type NetworkBudget, PageRequests, type SubstituteScript } from './requests.ts';
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
   * fraction of a millisecond results in different pictures.
   */
  readonly startDate: number;
  /** True if the creative is in the first iframe of the document, false if it is that document. */
  readonly framed: boolean;
  readonly substitutes: readonly SubstituteScript[];
  readonly signal: AbortSignal;
}

/** The browser shows a picture of an animated image up to half an interval early. This one shows each when it is due. */
const INTERVAL_MS = 1;
const MAX_FRAMES = 200;
/** After this many frames without a picture, there is a pause before each further frame. */
const FRAMES_WITHOUT_PAUSE = 10;
/** Real time for the compositor. */
const PAUSE_MS = 20;
/**
 * A frame that takes this many checks of the page waits for the clock. A busy node draws slowly too, and a clock that advances then
 * produces different pictures. Later frames of a page that waits once get no such time.
 */
const CHECKS_BEFORE_NUDGE = 8;

/** One document in a browser target of its own. Its user advances the clock and draws the frames. */
export class SteppedPage {
  readonly session: CdpSession;
  readonly requests: PageRequests;
  /** Facts for the provenance record, for example dismissed dialogs. */
  readonly notes = new Set<string>();
  readonly #browser: BrowserProcess;
  readonly #opened: BrowserPage;
  readonly #options: SteppedPageOptions;
  readonly #guard: PageGuard;
  readonly #clock: PageClock;
  readonly #worlds: IsolatedWorlds;
  readonly #workers: PageWorkers;
  #loadedAt: number | undefined;
  #checksBeforeNudge = CHECKS_BEFORE_NUDGE;

  private constructor(browser: BrowserProcess, opened: BrowserPage, options: SteppedPageOptions) {
    this.#browser = browser;
    this.#opened = opened;
    this.#options = options;
    const { session, page } = opened;
    const requests = new PageRequests(session);
    const { notes } = this;
    const { signal, networkBudget, startDate } = options;
    const isLoading = () => requests.openCount > 0 && this.#clock.waitsForNetwork;
    const guard = new PageGuard(session, { signal, notes, isLoading });
    const clock =
      options.clock === 'wall'
        ? new WallClock(guard)
        : new SteppedClock({ session, guard, requests, networkBudget, startDate, notes });
    this.session = session;
    this.requests = requests;
    this.#guard = guard;
    this.#clock = clock;
    this.#worlds = new IsolatedWorlds(session);
    this.#workers = new PageWorkers(page);
  }

  /** @throws BrowserGoneError also if the browser opens no page. It is killed then. */
  static async open(browser: BrowserProcess, options: SteppedPageOptions): Promise<SteppedPage> {
    const { width, height, ratio } = options;
    // In device pixels, because the picture of a frame has the size of the window.
    const viewport = { width: Math.round(width * ratio), height: Math.round(height * ratio) };
    let isOpen = false;
    try {
      return await browser.openPage({ viewport }, async (opened) => {
        isOpen = true;
        // A crashed page answers no call. A browser shows one creative only, so it ends with its page.
        opened.page.on('crash', () => browser.kill());
        const page = new SteppedPage(browser, opened, options);
        await page.#prepare();
        return page;
      });
    } catch (error) {
      if (isOpen || error instanceof BrowserGoneError) throw error;
      // Nothing of the creative is in it yet, so it is not at fault, and another browser tries again.
      browser.kill();
      throw new BrowserGoneError(`The browser opened no page: ${errorMessage(error)}`, { cause: error });
    }
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
    return { damage: (await this.#frame()).hasDamage };
  }

  /**
   * Draws the frame of this moment with its picture. Usually one frame is enough; each further one runs the page's callbacks again.
   * @returns the picture as a PNG in device pixels. @throws RenderingBlockedError
   */
  async drawPicture(): Promise<{ damage: boolean; picture: Buffer }> {
    let damage = false;
    for (let attempt = 0; attempt < MAX_FRAMES; attempt++) {
      if (attempt > FRAMES_WITHOUT_PAUSE) await this.#guard.waitFor(sleep(PAUSE_MS));
      const { screenshotData, hasDamage } = await this.#frame({ format: 'png' });
      damage ||= hasDamage;
      if (screenshotData) return { damage, picture: Buffer.from(screenshotData, 'base64') };
      this.#clock.nextInstant();
    }
    throw new RenderingBlockedError(
      'no_picture',
      'The creative draws nothing. It waits for something that does not arrive.',
    );
  }

  /**
   * @returns whether the document and its iframes need a frame. Each call reports the changes since the previous one. A page with a
   * worker always needs its frames, because only the worker knows what it draws.
   */
  async frameNeed(): Promise<FrameNeed> {
    return this.#workers.count > 0 ? FRAME_REQUESTED : this.#guard.waitFor(readFrameNeed(this.#worlds));
  }

  /** Evaluates in our isolated world of the document. @returns undefined if the script throws. */
  evaluate(expression: string): Promise<unknown> {
    return this.#evaluateIn(this.#opened.frameId, expression);
  }

  /** Runs code in our isolated world of the creative's document. @returns its JSON value; undefined if it throws. */
  async inCreative<A extends readonly unknown[], R>(code: (...args: A) => R, ...args: A): Promise<R | undefined> {
    const main = this.#opened.frameId;
    const frameId = this.#options.framed ? ((await this.#firstIframe()) ?? main) : main;
    const values = args.map((value) => JSON.stringify(value)).join();
    return (await this.#evaluateIn(frameId, `(${code})(${values})`)) as R | undefined;
  }

  /** @returns true while an animation with an end is still running, in the document or in an iframe. */
  async hasUnfinishedAnimations(): Promise<boolean> {
    for (const id of this.#worlds.frameIds()) {
      if ((await this.#evaluateIn(id, UNFINISHED_ANIMATIONS)) === true) return true;
    }
    return false;
  }

  /** Kills the browser if it does not close the page in time. Earlier pictures of the page stay valid. */
  async close(): Promise<void> {
    this.session.end('The page was closed');
    await this.#opened.close().catch(() => this.#browser.kill());
  }

  /** `stepped`, or `wall` for real time. */
  get clock(): 'stepped' | 'wall' {
    return this.#options.clock;
  }

  #evaluateIn(frameId: string, expression: string): Promise<unknown> {
    return this.#guard.waitFor(this.#worlds.evaluate(frameId, expression));
  }

  async #firstIframe(): Promise<string | undefined> {
    const { frameTree } = await this.#guard.waitFor(this.session.send('Page.getFrameTree'));
    return frameTree.childFrames?.[0]?.frame.id;
  }

  #frame(screenshot?: { format: 'png' }): Promise<{ hasDamage: boolean; screenshotData?: string }> {
    const frame = this.session.send(
      'HeadlessExperimental.beginFrame',
      { ...this.#clock.frameTime(), interval: INTERVAL_MS, noDisplayUpdates: false, ...(screenshot && { screenshot }) },
      60_000,
    );
    let checks = 0;
    return this.#guard.waitFor(frame, async () => {
      checks += 1;
      if (checks < this.#checksBeforeNudge) return;
      this.#checksBeforeNudge = 1;
      await this.#clock.nudge();
    });
  }

  async #prepare(): Promise<void> {
    const { session } = this;
    const { width, height, ratio, userAgent } = this.#options;
    this.#opened.page.on('dialog', (dialog) => {
      const type = dialog.type();
      this.notes.add(`A dialog (${type}) was dismissed.`);
      (type === 'beforeunload' ? dialog.accept() : dialog.dismiss()).catch(() => undefined);
    });
    session.on('Page.loadEventFired', ({ timestamp }) => {
      this.#loadedAt = this.#clock.timeOf(timestamp);
    });
    await Promise.all([
      session.send('Inspector.enable'),
      session.send('Page.enable'),
      session.send('Network.enable'),
      session.send('Emulation.setUserAgentOverride', { userAgent, platform: 'Win32' }),
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
    const source = `(${startClockAboveZero})()`;
    if (this.clock === 'stepped') await session.send('Page.addScriptToEvaluateOnNewDocument', { source });
    const { networkBudget, substitutes } = this.#options;
    await interceptRequests(session, { networkBudget, substitutes, notes: this.notes });
    await this.#clock.start();
  }
}

const UNFINISHED_ANIMATIONS = `document.getAnimations().some((animation) =>
  animation.playState === 'running' && Number.isFinite(animation.effect?.getComputedTiming().endTime))`;

/**
 * Runs in a new document, before its own scripts, and lets `performance.now()` start at the smallest time that a browser reports. In virtual time no time passes between the creation of some documents and
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
