import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type ContentScriptMessage, filterCompactRules } from '@duckduckgo/autoconsent';
import compactRules from '@duckduckgo/autoconsent/rules/compact-rules.json' with { type: 'json' };
import type { BrowserContext, Frame, Page } from 'playwright';
import { withDeadline } from '../../lib/deadline.ts';
import { sleep } from '../../lib/sleep.ts';
import { respondingFrames } from './frames.ts';
import { expressionOf } from './inPage/script.ts';

/** Evaluates to the text of the pressed button, or null. */
const PRESS_CONSENT_BUTTON = expressionOf(
  { layerOf, shadowHost, mentionsConsent, buttonsIn, isAgreement, pressConsentButton },
  'pressConsentButton()',
);

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

/** Answers a consent dialog without a known rule: finds a layer over the page that mentions consent and has a button to agree. */
function layerOf(button: Element): Element | undefined {
  for (let at: Element | null = button; at; at = at.parentElement ?? shadowHost(at)) {
    if (/^(fixed|sticky)$/.test(getComputedStyle(at).position) || at.tagName === 'DIALOG') return at;
  }
  // A frame that contains only a dialog is itself the layer, because its parent positions it.
  return window === top ? undefined : document.body;
}

function shadowHost(element: Element): Element | null {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

function mentionsConsent(layer: Element): boolean {
  const text = layer instanceof HTMLElement ? layer.innerText.slice(0, 5_000) : '';
  return /cookie|consent|privacy|gdpr|partners|datenschutz|einwillig|zustimm|confidentialit|vie privée|privacidad|tracking|personal data/i.test(
    text,
  );
}

function buttonsIn(root: Document | ShadowRoot): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (const element of root.querySelectorAll('*')) {
    if (element.shadowRoot) found.push(...buttonsIn(element.shadowRoot));
    const clickable = element.matches('button, [role="button"], a, input[type="button"], input[type="submit"]');
    if (clickable && element instanceof HTMLElement && element.checkVisibility()) found.push(element);
  }
  return found;
}

function isAgreement(button: HTMLElement): boolean {
  const text = (button.innerText || button.getAttribute('value') || button.getAttribute('aria-label') || '').trim();
  if (text.length > 40) return false;
  return /^(i )?(accept|pressConsentButton|allow|consent|ok(ay)?|got it|understood|continue|alle akzeptieren|akzeptieren|zustimmen|einverstanden|tout accepter|accepter|j'accepte|aceptar|accetta|akkoord|accepteren|aceitar|zgadzam|godkänn|souhlasím)\b/i.test(
    text,
  );
}

/** @returns the text of the pressed button, or null. */
function pressConsentButton(): string | null {
  const button = buttonsIn(document).find((candidate) => {
    const layer = isAgreement(candidate) ? layerOf(candidate) : undefined;
    return layer !== undefined && mentionsConsent(layer);
  });
  if (button === undefined) return null;
  button.click();
  return (button.innerText || 'button').trim().slice(0, 40);
}
