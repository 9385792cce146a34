import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type ContentScriptMessage, filterCompactRules } from '@duckduckgo/autoconsent';
import compactRules from '@duckduckgo/autoconsent/rules/compact-rules.json' with { type: 'json' };
import { withDeadline } from '../../lib/deadline.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Frame } from '../browser/frame.ts';
import type { Tab } from '../browser/tab.ts';
import { respondingFrames } from './frames.ts';

const require = createRequire(import.meta.url);
const RULES = pathToFileURL(require.resolve('@duckduckgo/autoconsent/rules/compact-rules.json'));
const CONTENT_SCRIPT = readFileSync(new URL('../dist/autoconsent.playwright.js', RULES), 'utf8');

const BINDING = 'tearsheetConsentMessage';
/** The content script sends objects, and a document can call us only with a text. */
const SEND_AS_TEXT = `window.autoconsentSendMessage = async (message) => ${BINDING}(JSON.stringify(message));\n`;
const EVALUATE_MS = 2_000;
const MAX_FRAMES = 20;

const LOOK_EVERY_MS = 400;
/** How long a dialog is compared with the rules of known makers. */
const RECOGNIZE_MS = 700;
const ANSWER_MS = 5_000;

type Progress = 'looking' | 'found' | 'answered' | 'failed';

export interface ConsentSearch {
  /** Real time for the search and the answer. */
  readonly ms: number;
  /** Resolves when the page has been scrolled through and is quiet. */
  readonly rested: Promise<void>;
}

/** Answers the consent dialogs of a page. */
export class ConsentDialogs {
  readonly #tab: Tab;
  #progress: Progress = 'looking';
  #pressed = false;

  constructor(tab: Tab) {
    this.#tab = tab;
  }

  /** Call this before the page opens. */
  async prepare(): Promise<void> {
    await this.#tab.expose(BINDING, (frame, text) => {
      this.#handleMessage(frame, text).catch((error: unknown) => void error);
    });
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
  async answer({ ms, rested }: ConsentSearch): Promise<boolean> {
    const endsAt = performance.now() + ms;
    if (!(await this.#appears(endsAt, rested))) return false;
    await Promise.all(this.#tab.frames().slice(0, MAX_FRAMES).map(startIn));
    await this.#until(() => this.isFound, Math.min(endsAt, performance.now() + RECOGNIZE_MS));
    await this.#until(
      () => this.#progress === 'answered' || this.#progress === 'failed',
      this.#progress === 'found' ? Math.min(endsAt, performance.now() + ANSWER_MS) : 0,
    );
    this.#pressed = this.#progress !== 'answered' && (await pressConsentButtonInFrames(this.#tab));
    return this.isFound || this.#pressed;
  }

  /**
   * Looks for something that may be a dialog, because comparing a page with the rules of all makers takes much processor time. The
   * search lasts until the page has been scrolled, because some dialogs appear on scroll.
   */
  async #appears(endsAt: number, rested: Promise<void>): Promise<boolean> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    // The caller of the work that is awaited gets its error.
    rested.then(end, end);
    for (;;) {
      const isLast = isOver || performance.now() >= endsAt;
      if (await attempt(this.#tab.mainFrame.evaluate(() => inPage.mayShowDialog()))) return true;
      if (isLast) return false;
      await sleep(LOOK_EVERY_MS);
    }
  }

  async #until(done: () => boolean, endsAt: number): Promise<void> {
    while (!done() && performance.now() < endsAt) await sleep(25);
  }

  async #handleMessage(frame: Frame, text: string): Promise<void> {
    const message = JSON.parse(text) as ContentScriptMessage;
    switch (message.type) {
      case 'init':
        return send(frame, { type: 'initResp', rules: rulesFor(frame), config: CONFIG });
      case 'eval':
        return send(frame, {
          type: 'evalResp',
          id: message.id,
          result: Boolean(await attempt(frame.evaluateInPage(message.code))),
        });
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
};

function rulesFor(frame: Frame) {
  const context = { url: frame.url, mainFrame: frame.parent === undefined };
  return {
    autoconsent: [],
    compact: filterCompactRules(compactRules as Parameters<typeof filterCompactRules>[0], context),
  };
}

async function startIn(frame: Frame): Promise<void> {
  await attempt(frame.evaluate(SEND_AS_TEXT + CONTENT_SCRIPT));
}

async function send(frame: Frame, message: object): Promise<void> {
  await attempt(frame.evaluate(`void window.autoconsentReceiveMessage(${JSON.stringify(message)})`));
}

/** @returns undefined if the frame is gone or does not answer, because dialogs close and pages reload. */
async function attempt<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await withDeadline(EVALUATE_MS, answer);
  } catch {
    return undefined;
  }
}

/** @returns whether there was something to agree to. */
async function pressConsentButtonInFrames(tab: Tab): Promise<boolean> {
  for (const frame of await respondingFrames(tab, MAX_FRAMES)) {
    const pressed = await attempt(frame.evaluate(() => inPage.pressConsentButton()));
    if (typeof pressed !== 'string') continue;
    await sleep(300);
    return true;
  }
  return false;
}
