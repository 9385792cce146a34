import type { Warning } from '../../domain/warnings.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { Tab } from '../browser/tab.ts';

const ANSWER_MS = 5_000;
/** The share of elements that are laid out by styles. Without styles nearly nothing is, and with them much more. */
const MIN_LAID_OUT = 0.1;

/** Notices style sheets that do not load, or not in time. */
export class StyleSheets {
  readonly #tab: Tab;
  /** The requests of style sheets that have no answer yet, or a failure. */
  readonly #missing = new Set<string>();

  constructor(tab: Tab) {
    this.#tab = tab;
    tab.session.on('Network.requestWillBeSent', ({ requestId, type }) => {
      if (type === 'Stylesheet') this.#missing.add(requestId);
    });
    tab.session.on('Network.responseReceived', ({ requestId, type, response }) => {
      if (type === 'Stylesheet' && response.status < 400) this.#missing.delete(requestId);
    });
  }

  /** @returns a warning if style sheets of the page did not load and the page looks as if it had none. */
  async warnings(): Promise<Warning[]> {
    if (this.#missing.size === 0) return [];
    const { share, isBare } = await withDeadline(ANSWER_MS, this.#tab.mainFrame.evaluate(lookOfPage));
    if (share >= MIN_LAID_OUT && !isBare) return [];
    const count = this.#missing.size === 1 ? 'A style sheet' : `${this.#missing.size} style sheets`;
    const message = `The page is shown without its styles: ${count} did not load.`;
    return [{ code: 'page_unstyled', message }];
  }
}

/**
 * Runs in the page. Nearly each site replaces the font and the margin of the browser; a bare page has both.
 * @returns `share` of the first elements that have a layout of their own, 0 to 1.
 */
function lookOfPage(): { share: number; isBare: boolean } {
  const root = document.body ?? document.documentElement;
  const elements = [...root.querySelectorAll('div, section, header, nav, ul, li, a, main, article, aside, img')];
  const seen = elements
    .slice(0, 3_000)
    .filter((element) => element.checkVisibility())
    .slice(0, 600);
  const isLaidOut = (element: Element) => {
    const { display, float, position } = getComputedStyle(element);
    return /flex|grid|inline-block/.test(display) || float !== 'none' || position !== 'static';
  };
  const share = seen.length === 0 ? 1 : seen.filter(isLaidOut).length / seen.length;
  const { margin, fontFamily } = getComputedStyle(root);
  return { share, isBare: seen.length > 0 && margin === '8px' && fontFamily === '"Times New Roman"' };
}
