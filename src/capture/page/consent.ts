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
import { expressionOf } from './inPage/script.ts';
import { VISIBILITY } from './inPage/visibility.ts';

declare const { parentOf, topmostAt }: typeof VISIBILITY;

const IN_PAGE = { ...VISIBILITY, layerOf, mentionsConsent, buttonsIn, isAgreement, pressConsentButton, mayShowDialog };
/** Evaluates to the text of the pressed button, or null. */
const PRESS_CONSENT_BUTTON = expressionOf(IN_PAGE, 'pressConsentButton()');
/** Evaluates to whether the screen shows something that may be a consent dialog. */
const MAY_SHOW_DIALOG = expressionOf(IN_PAGE, 'mayShowDialog()');

const require = createRequire(import.meta.url);
const RULES = pathToFileURL(require.resolve('@duckduckgo/autoconsent/rules/compact-rules.json'));
const CONTENT_SCRIPT = readFileSync(new URL('../dist/autoconsent.playwright.js', RULES), 'utf8');

const BINDING = 'tearsheetConsentMessage';
/** The content script sends objects, and a page can call us only with a text. */
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
      // The page itself may call the function too, with any text, so an error says nothing.
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
      if ((await attempt(this.#tab.mainFrame, MAY_SHOW_DIALOG)) === true) return true;
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
  const context = { url: frame.url, mainFrame: frame.parent === undefined };
  return {
    autoconsent: [],
    compact: filterCompactRules(compactRules as Parameters<typeof filterCompactRules>[0], context),
  };
}

async function startIn(frame: Frame): Promise<void> {
  await attempt(frame, SEND_AS_TEXT + CONTENT_SCRIPT);
}

async function send(frame: Frame, message: object): Promise<void> {
  await attempt(frame, `window.autoconsentReceiveMessage(${JSON.stringify(message)}), undefined`);
}

/** @returns undefined if the frame is gone or does not answer, because dialogs close and pages reload. */
async function attempt(frame: Frame, code: string): Promise<unknown> {
  try {
    return await withDeadline(EVALUATE_MS, frame.evaluate(code));
  } catch {
    return undefined;
  }
}

/** @returns whether there was something to agree to. */
async function pressConsentButtonInFrames(tab: Tab): Promise<boolean> {
  for (const frame of await respondingFrames(tab, MAX_FRAMES)) {
    const pressed = await attempt(frame, PRESS_CONSENT_BUTTON);
    if (typeof pressed !== 'string') continue;
    await sleep(300);
    return true;
  }
  return false;
}

/** Answers a consent dialog without a known rule: finds a layer over the page that mentions consent and has a button to agree. */
function layerOf(button: Element): Element | undefined {
  for (let at: Element | null = button; at; at = parentOf(at)) {
    if (/^(fixed|sticky)$/.test(getComputedStyle(at).position) || at.tagName === 'DIALOG') return at;
  }
  // A frame that contains only a dialog is itself the layer, because its parent positions it.
  return window === top ? undefined : document.body;
}

/** @param text which text counts; the text that is shown takes much longer to find. */
function mentionsConsent(layer: Element, text: 'shown' | 'any' = 'shown'): boolean {
  const words = text === 'shown' && layer instanceof HTMLElement ? layer.innerText : (layer.textContent ?? '');
  return /cookie|çerez|süti|eväste|informasjonskaps|kolačić|ciastecz|クッキー|쿠키|куки|עוגיות|consent|privacy|gdpr|partners|datenschutz|einwillig|zustimm|confidentialit|vie privée|privacidad|tracking|personal data/i.test(
    words.slice(0, 5_000),
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
  return /^(i )?(accept|agree|allow|consent|ok(ay)?|got it|understood|continue|alle akzeptieren|akzeptieren|zustimmen|einverstanden|tout accepter|accepter|j'accepte|aceptar|acepto|accetta|accetto|akkoord|accepteren|aceitar|zgadzam|akceptuj\p{L}*|godkänn|acceptera|souhlasím|přijmout|přijímám|godta|godkjenn|aksepter|accepter|tillad|hyväksy|hyväksyn|(tümünü )?kabul(?! etm)|elfogad\p{L}*|prihvati|prihvaćam|принять|принимаю|согласен|согласиться|接受|我?同意(する)?|동의(함|합니다|하기)?|수락)(?!\p{L})/iu.test(
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

/** Whether the screen shows an element that is named after consent, or a layer that mentions it or has content of its own document. */
function mayShowDialog(): boolean {
  const names = 'consent|cookie|gdpr|cmp|privacy|onetrust|didomi|usercentrics|truste|evidon|sp_message|fc-';
  const named = names.split('|').flatMap((name) => [`[id*="${name}" i]`, `[class*="${name}" i]`]);
  for (const element of document.querySelectorAll(named.join())) {
    const { top, bottom, width, height } = element.getBoundingClientRect();
    if (width > 100 && height > 20 && bottom > 0 && top < innerHeight && element.checkVisibility()) return true;
  }
  const parts = Array.from({ length: 9 }, (_, index) => 0.02 + 0.12 * index);
  const seen = new Set<Element>();
  for (const [x, y] of parts.flatMap((across) => parts.map((down) => [innerWidth * across, innerHeight * down]))) {
    const hit = topmostAt(x ?? 0, y ?? 0);
    if (hit === null || seen.has(hit)) continue;
    seen.add(hit);
    const layer = layerOf(hit);
    if (layer === undefined || seen.has(layer)) continue;
    seen.add(layer);
    if (layer.matches('iframe') || layer.querySelector('iframe') !== null || mentionsConsent(layer, 'any')) return true;
  }
  return false;
}
