import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type ContentScriptMessage, filterCompactRules } from '@duckduckgo/autoconsent';
import compactRules from '@duckduckgo/autoconsent/rules/compact-rules.json' with { type: 'json' };
import type { BrowserContext, Frame, Page } from 'playwright';
import { withDeadline } from '../../lib/deadline.ts';
import { sleep } from '../../lib/sleep.ts';
import { AGREE } from './inPage/agree.ts';
import { liveFrames } from './liveFrames.ts';

const require = createRequire(import.meta.url);
const RULES = pathToFileURL(require.resolve('@duckduckgo/autoconsent/rules/compact-rules.json'));
const CONTENT_SCRIPT = readFileSync(new URL('../dist/autoconsent.playwright.js', RULES), 'utf8');

const BINDING = 'autoconsentSendMessage';
const EVALUATE_MS = 2_000;
const MAX_FRAMES = 20;

/**
 * A dialog found early is answered at once. One that may still come is looked for so long, and no longer than until the page
 * has come to rest where nothing in it speaks of consent.
 */
const LOOK_MS = 700;
const ANSWER_MS = 5_000;

type Progress = 'looking' | 'found' | 'answered' | 'failed';

/** Answers the consent dialogs of a context's one page. */
export class Consent {
  readonly #context: BrowserContext;
  #progress: Progress = 'looking';

  constructor(context: BrowserContext) {
    this.#context = context;
  }

  /** Before the page is opened. */
  async prepare(): Promise<void> {
    await this.#context.exposeBinding(BINDING, ({ frame }, message: ContentScriptMessage) =>
      this.#heard(frame, message),
    );
  }

  /** Whether a dialog was found, and perhaps answered, by now. */
  get isFound(): boolean {
    return this.#progress !== 'looking';
  }

  /**
   * Looks for a dialog, answers it, and gives up quietly: a page with a dialog is a page still.
   * @param rested resolves when the page has come to rest. @returns whether there was one.
   */
  async answer(page: Page, { ms, rested }: { ms: number; rested: Promise<void> }): Promise<boolean> {
    const endsAt = performance.now() + Math.min(ms, ANSWER_MS);
    // Heard from the beginning: a page that is closed now fails at once, and a failure that nobody hears ends the process.
    rested.catch((error: unknown) => void error);
    await Promise.all(page.frames().slice(0, MAX_FRAMES).map(startIn));
    const lookEndsAt = Math.min(endsAt, performance.now() + LOOK_MS);
    let isHopeless = false;
    const judging = rested.then(async () => {
      isHopeless = (await attempt(page.mainFrame(), MAY_ASK)) === false;
    });
    // Who waits for the page to rest meets its failure.
    judging.catch((error: unknown) => void error);
    await this.#until(() => this.isFound || isHopeless, lookEndsAt);
    await this.#until(
      () => this.#progress === 'answered' || this.#progress === 'failed',
      this.#progress === 'found' ? endsAt : 0,
    );
    const agreed = this.#progress !== 'answered' && (await agreeSomewhere(page));
    return this.isFound || agreed;
  }

  async #until(done: () => boolean, endsAt: number): Promise<void> {
    while (!done() && performance.now() < endsAt) await sleep(25);
  }

  async #heard(frame: Frame, message: ContentScriptMessage): Promise<void> {
    switch (message.type) {
      case 'init':
        return tell(frame, { type: 'initResp', rules: rulesFor(frame), config: CONFIG });
      case 'eval':
        return tell(frame, { type: 'evalResp', id: message.id, result: await attempt(frame, message.code) });
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

async function tell(frame: Frame, message: object): Promise<void> {
  await attempt(frame, `window.autoconsentReceiveMessage(${JSON.stringify(message)}), undefined`);
}

/** Gives whether anything in the document names what dialogs are about, or who makes them. */
const MAY_ASK = `/consent|cookie|gdpr|tcf|__cmp|__gpp|onetrust|didomi|usercentrics|trustarc|quantcast|sourcepoint|axeptio/i.test(
  document.documentElement.outerHTML)`;

/** @returns undefined where the frame has gone or does not answer: dialogs close, pages reload. */
async function attempt(frame: Frame, code: string): Promise<unknown> {
  try {
    return await withDeadline(EVALUATE_MS, frame.evaluate(code));
  } catch {
    return undefined;
  }
}

/** @returns whether there was something to agree to. */
async function agreeSomewhere(page: Page): Promise<boolean> {
  for (const frame of await liveFrames(page, MAX_FRAMES)) {
    const pressed = await attempt(frame, AGREE);
    if (typeof pressed !== 'string') continue;
    await sleep(300);
    return true;
  }
  return false;
}
