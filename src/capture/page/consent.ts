import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type ContentScriptMessage, filterCompactRules } from '@duckduckgo/autoconsent';
import compactRules from '@duckduckgo/autoconsent/rules/compact-rules.json' with { type: 'json' };
import type { BrowserContext, Frame, Page } from 'playwright';
import { withDeadline } from '../../lib/deadline.ts';
import { sleep } from '../../lib/sleep.ts';
import { PRESS_CONSENT_BUTTON } from './inPage/consentButton.ts';
import { respondingFrames } from './respondingFrames.ts';

const require = createRequire(import.meta.url);
const RULES = pathToFileURL(require.resolve('@duckduckgo/autoconsent/rules/compact-rules.json'));
const CONTENT_SCRIPT = readFileSync(new URL('../dist/autoconsent.playwright.js', RULES), 'utf8');

const BINDING = 'autoconsentSendMessage';
const EVALUATE_MS = 2_000;
const MAX_FRAMES = 20;

/**
 * How long to look for a dialog at least. The search lasts until the page has been scrolled, because some dialogs appear on scroll.
 * It ends earlier when the page is quiet and its source never mentions consent.
 */
const LOOK_MS = 700;
const ANSWER_MS = 5_000;

type Progress = 'looking' | 'found' | 'answered' | 'failed';

export interface ConsentSearch {
  /** Real time for the search and the answer. */
  readonly ms: number;
  /** Resolves when the page has been scrolled through. */
  readonly scrolled: Promise<void>;
  /** Resolves when the page is quiet. */
  readonly rested: Promise<void>;
}

/** Answers the consent dialogs of the only page of a browser context. */
export class ConsentDialogs {
  readonly #context: BrowserContext;
  #progress: Progress = 'looking';
  #pressed = false;

  constructor(context: BrowserContext) {
    this.#context = context;
  }

  /** Call this before the page opens. */
  async prepare(): Promise<void> {
    await this.#context.exposeBinding(BINDING, ({ frame }, message: ContentScriptMessage) =>
      this.#handleMessage(frame, message),
    );
  }

  /** Whether a dialog was found so far, answered or not. */
  get isFound(): boolean {
    return this.#progress !== 'looking';
  }

  get isAnswered(): boolean {
    return this.#progress === 'answered' || this.#pressed;
  }

  /**
   * Looks for a dialog and answers it. A dialog that stays is no error, because the page can still be captured.
   * @returns whether there was a dialog.
   */
  async answer(page: Page, { ms, scrolled, rested }: ConsentSearch): Promise<boolean> {
    const endsAt = performance.now() + ms;
    // A page that closes now rejects at once, and an unhandled rejection would end the process.
    rested.catch((error: unknown) => void error);
    let isScrolled = false;
    const noteScroll = () => {
      isScrolled = true;
    };
    scrolled.then(noteScroll, noteScroll);
    await Promise.all(page.frames().slice(0, MAX_FRAMES).map(startIn));
    const lookEndsAt = performance.now() + LOOK_MS;
    let isUnlikely = false;
    const judging = rested.then(async () => {
      isUnlikely = (await attempt(page.mainFrame(), MENTIONS_CONSENT)) === false;
    });
    // The caller that waits for the page to become quiet gets this error.
    judging.catch((error: unknown) => void error);
    const isOver = () => isUnlikely || (isScrolled && performance.now() >= lookEndsAt);
    await this.#until(() => this.isFound || isOver(), endsAt);
    await this.#until(
      () => this.#progress === 'answered' || this.#progress === 'failed',
      this.#progress === 'found' ? Math.min(endsAt, performance.now() + ANSWER_MS) : 0,
    );
    this.#pressed = this.#progress !== 'answered' && (await pressConsentButtonInFrames(page));
    return this.isFound || this.#pressed;
  }

  async #until(done: () => boolean, endsAt: number): Promise<void> {
    while (!done() && performance.now() < endsAt) await sleep(25);
  }

  async #handleMessage(frame: Frame, message: ContentScriptMessage): Promise<void> {
    switch (message.type) {
      case 'init':
        return send(frame, { type: 'initResp', rules: rulesFor(frame), config: CONFIG });
      case 'eval':
        return send(frame, { type: 'evalResp', id: message.id, result: await attempt(frame, message.code) });
      case 'popupFound':
        this.#progress = 'found';
        return;
      case 'optOutResult':
      case 'optInResult':
        this.#progress = message.result ? this.#progress : 'failed';
        return;
      case 'autoconsentDone':
        this.#progress = 'answered';
        return;
      default:
    }
  }
}

const CONFIG = {
  enabled: true,
  autoAction: 'optOut',
  disabledCmps: [],
  enablePrehide: false,
  enableCosmeticRules: true,
  enableGeneratedRules: true,
  enableHeuristicDetection: true,
  heuristicMode: 'tier2',
  detectRetries: 8,
  isMainWorld: true,
};

function rulesFor(frame: Frame) {
  const context = { url: frame.url(), mainFrame: frame.parentFrame() === null };
  return {
    autoconsent: [],
    compact: filterCompactRules(compactRules as Parameters<typeof filterCompactRules>[0], context),
  };
}

async function startIn(frame: Frame): Promise<void> {
  await attempt(frame, CONTENT_SCRIPT);
}

async function send(frame: Frame, message: object): Promise<void> {
  await attempt(frame, `window.autoconsentReceiveMessage(${JSON.stringify(message)}), undefined`);
}

/** Evaluates to whether the document mentions consent or a maker of consent dialogs. */
const MENTIONS_CONSENT = `/consent|cookie|gdpr|tcf|__cmp|__gpp|onetrust|didomi|usercentrics|trustarc|quantcast|sourcepoint|axeptio/i.test(
  document.documentElement.outerHTML)`;

/** @returns undefined if the frame is gone or does not answer, because dialogs close and pages reload. */
async function attempt(frame: Frame, code: string): Promise<unknown> {
  try {
    return await withDeadline(EVALUATE_MS, frame.evaluate(code));
  } catch {
    return undefined;
  }
}

/** @returns whether there was something to pressConsentButton to. */
async function pressConsentButtonInFrames(page: Page): Promise<boolean> {
  for (const frame of await respondingFrames(page, MAX_FRAMES)) {
    const pressed = await attempt(frame, PRESS_CONSENT_BUTTON);
    if (typeof pressed !== 'string') continue;
    await sleep(300);
    return true;
  }
  return false;
}
