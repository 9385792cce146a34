import type { BrowserContextOptions } from 'playwright-core';
import type { BrowserPage, BrowserProcess } from './browserProcess.ts';
import { BrowserGoneError, type CdpSession, TargetGoneError } from './cdp.ts';
import { Frame, WORLD } from './frame.ts';

const START_MS = 20_000;
const ALIVE_MS = 250;
const ANSWER_MS = 2_000;

/** How far the document of the main frame has loaded. */
export type LoadState = 'committed' | 'parsed' | 'loaded';
const STATES: readonly LoadState[] = ['committed', 'parsed', 'loaded'];

/** A page of the web in a browser context of its own, with all its frames in one process and one session. */
export class Tab {
  readonly session: CdpSession;
  readonly mainFrame: Frame;
  readonly #browser: BrowserProcess;
  readonly #close: () => Promise<void>;
  readonly #frames = new Map<string, Frame>();
  readonly #loaders = new Set<string>();
  readonly #waiting = new Set<() => void>();
  #state: LoadState = 'committed';
  #lost: string | undefined;
  /** The number of documents of the main frame that were parsed so far. */
  documents = 0;
  crashed = false;

  private constructor(browser: BrowserProcess, { session, frameId, close }: BrowserPage) {
    this.#browser = browser;
    this.session = session;
    this.#close = close;
    this.mainFrame = new Frame(session, frameId, undefined);
    this.#frames.set(frameId, this.mainFrame);
  }

  /** @throws CdpError, CdpTimeoutError, DeadlineError, BrowserGoneError. */
  static open(browser: BrowserProcess, options: BrowserContextOptions = {}): Promise<Tab> {
    return browser.openPage(options, async (opened) => {
      const tab = new Tab(browser, opened);
      const { session } = tab;
      tab.#follow(opened);
      await Promise.all([
        session.send('Inspector.enable', undefined, START_MS),
        session.send('Page.enable', undefined, START_MS),
        session.send('Runtime.enable', undefined, START_MS),
        // Nothing reads the bodies of responses from this session. Playwright's own session keeps some.
        session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 }, START_MS),
      ]);
      return tab;
    });
  }

  /** Whether the page crashed or was closed, so that no call to it succeeds any more. */
  get isLost(): boolean {
    return this.#lost !== undefined || !this.#browser.isAlive();
  }

  url(): string {
    return this.mainFrame.url;
  }

  /** The main frame first, each frame before its children. */
  frames(): Frame[] {
    return [...this.#frames.values()];
  }

  frame(id: string): Frame | undefined {
    return this.#frames.get(id);
  }

  /**
   * Navigates until the response begins.
   * @throws Error that contains Chromium's name of the failure (`net::ERR_…`), CdpTimeoutError, TargetGoneError.
   */
  async navigate(url: string, ms: number): Promise<void> {
    const { loaderId, errorText } = await this.session.send('Page.navigate', { url }, ms);
    if (errorText !== undefined && errorText !== '') {
      // A page that crashes reports an aborted navigation first. Its scripts answer only if it did not crash.
      await this.session.send('Runtime.evaluate', { expression: '1' }, ANSWER_MS).catch((error: unknown) => {
        if (this.isLost) throw error;
      });
      throw new Error(`${errorText} at ${url}`);
    }
    await this.until(() => loaderId === undefined || this.#loaders.has(loaderId), ms);
  }

  /** @returns whether the present document of the main frame reached this state in time. @throws TargetGoneError. */
  reached(state: LoadState, ms: number): Promise<boolean> {
    return this.until(() => STATES.indexOf(this.#state) >= STATES.indexOf(state), ms);
  }

  /** Waits until a document of the page has made `done` true. @returns whether it did in time. @throws TargetGoneError, BrowserGoneError. */
  async until(done: () => boolean, ms: number): Promise<boolean> {
    const endsAt = performance.now() + ms;
    for (;;) {
      if (this.#lost !== undefined) throw new TargetGoneError(this.#lost);
      if (!this.#browser.isAlive()) throw new BrowserGoneError('The browser is gone');
      if (done()) return true;
      const left = endsAt - performance.now();
      if (left <= 0) return false;
      // A browser that ends sends no event.
      await this.#changed(Math.min(left, ALIVE_MS));
    }
  }

  /** Lets the page call `listener` with a text, by the function `name` of our world in each window. */
  async expose(name: string, listener: (frame: Frame, text: string) => void): Promise<void> {
    this.session.on('Runtime.bindingCalled', (call) => {
      const frame = this.frames().find((one) => one.hasContext(call.executionContextId));
      if (call.name === name && frame !== undefined) listener(frame, call.payload);
    });
    await this.session.send('Runtime.addBinding', { name, executionContextName: WORLD });
  }

  /** Ends the page without asking its scripts. */
  async close(): Promise<void> {
    this.#lose('The page was closed');
    await this.#close();
  }

  #changed(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#waiting.add(end);
    });
  }

  #reach(state: LoadState): void {
    this.#state = state;
    for (const end of this.#waiting) end();
  }

  /** Open and later calls fail at once instead of waiting for their deadlines. */
  #lose(reason: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = reason;
    for (const frame of this.frames()) frame.end();
    this.session.end(reason);
    for (const end of this.#waiting) end();
  }

  #follow({ page, session }: BrowserPage): void {
    page.on('close', () => this.#lose('The page was closed'));
    // The page of Playwright reports it after other calls have failed.
    session.on('Inspector.targetCrashed', () => {
      this.crashed = true;
      this.#lose('The page crashed');
    });
    page.on('dialog', (dialog) => {
      // The page may close before the answer.
      dialog.dismiss().catch((error: unknown) => void error);
    });
    session.on('Page.domContentEventFired', () => {
      this.documents += 1;
      this.#reach('parsed');
    });
    session.on('Page.loadEventFired', () => this.#reach('loaded'));
    this.#followFrames();
    this.#followContexts();
  }

  #followFrames(): void {
    const { session } = this;
    session.on('Page.frameAttached', ({ frameId, parentFrameId }) => {
      const parent = this.#frames.get(parentFrameId);
      if (parent !== undefined) this.#frames.set(frameId, new Frame(session, frameId, parent));
    });
    session.on('Page.frameDetached', ({ frameId, reason }) => {
      if (reason === 'remove') this.#remove(frameId);
    });
    session.on('Page.frameNavigated', ({ frame: { id, url, urlFragment = '', loaderId } }) => {
      const frame = this.#frames.get(id);
      if (frame === undefined) return;
      for (const child of this.frames()) if (child.parent === frame) this.#remove(child.id);
      frame.url = url + urlFragment;
      if (frame !== this.mainFrame) return;
      this.#loaders.add(loaderId);
      this.#reach('committed');
    });
    session.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
      const frame = this.#frames.get(frameId);
      if (frame !== undefined) frame.url = url;
    });
  }

  #followContexts(): void {
    const { session } = this;
    session.on('Runtime.executionContextCreated', ({ context: { id, auxData } }) => {
      if (auxData?.['isDefault'] === true) this.#frames.get(String(auxData['frameId']))?.startDocument(id);
    });
    session.on('Runtime.executionContextDestroyed', ({ executionContextId }) => {
      for (const frame of this.frames()) frame.endDocument(executionContextId);
    });
    session.on('Runtime.executionContextsCleared', () => {
      for (const frame of this.frames()) frame.endDocument();
    });
  }

  #remove(id: string): void {
    const frame = this.#frames.get(id);
    if (frame === undefined || frame === this.mainFrame) return;
    for (const child of this.frames()) if (child.parent === frame) this.#remove(child.id);
    this.#frames.delete(id);
    frame.end();
  }
}
