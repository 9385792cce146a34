import type { Warning, WarningCode } from '../../domain/warnings.ts';
import { glyphWarnings, scriptsWithoutGlyphs } from '../browser/missingGlyphs.ts';
import type { FailedRequest } from '../browser/requests.ts';
import type { SteppedPage } from '../browser/steppedPage.ts';
import { decodedAddress } from './markup.ts';

const CODES: Readonly<Record<string, readonly [WarningCode, string]>> = {
  Image: ['image_not_loaded', 'An image'],
  Script: ['script_not_loaded', 'A script'],
  Font: ['font_not_loaded', 'A font'],
  Stylesheet: ['other', 'A style sheet'],
  Media: ['other', 'A video'],
};

const FONT_SHEET: readonly [WarningCode, string] = ['font_not_loaded', 'A style sheet with fonts'];

/** Style sheets of these hosts hold only fonts. */
const FONT_HOST =
  /^(?:fonts\.(?:googleapis\.com|bunny\.net)|use\.typekit\.net|p\.typekit\.net|fast\.fonts\.net|cloud\.typography\.com)$/;

/** Services that count and measure. They draw nothing, so a picture without them is complete. */
const MEASUREMENT_HOST =
  /(?:^|\.)(?:googletagmanager\.com|google-analytics\.com|analytics\.google\.com|moatads\.com|doubleverify\.com|adsafeprotected\.com|scorecardresearch\.com|omtrdc\.net|demdex\.net|chartbeat\.com|hotjar\.com|clarity\.ms|connect\.facebook\.net|bat\.bing\.com|quantserve\.com|quantcount\.com|imrworldwide\.com|krxd\.net|bluekai\.com|adsrvr\.org|mixpanel\.com|amplitude\.com|js-agent\.newrelic\.com|nr-data\.net|mc\.yandex\.ru|tiqcdn\.com|hit\.gemius\.pl|ioam\.de|iocnt\.net|meetrics\.net|innovid\.com)$/;
const MEASUREMENT_PATH =
  /(?:^|[/_.-])(?:analytics|gtag|gtm|pixel|track|tracker|tracking|beacon|piwik|matomo|viewability|omweb|omid|impression|imp)(?:[/_.-]|$)/i;

/** More would hide the other warnings. */
const MAX_OF_CODE = 5;
const MAX_ADDRESS = 200;

/** The files of the creative that did not load, for the user of the pictures. */
export class LoadWarnings {
  readonly #warnings = new Map<string, Warning>();

  /** @param shownImages the URLs of failed images that the page shows. Others are tracking pixels, unless the zip has them. */
  add(failures: readonly FailedRequest[], shownImages: readonly string[]): void {
    for (const { url, type, outcome } of failures) {
      if (isIrrelevant(url, type, shownImages)) continue;
      const why = 'status' in outcome ? `HTTP status ${outcome.status}` : readableError(outcome.error);
      const isMissing = isOwnFile(url) && 'status' in outcome;
      this.#add(url, { type, why: isMissing ? 'the creative does not contain it' : why });
    }
  }

  /**
   * Adds warnings about visible text in another font than the creative names, and about text that is boxes. A font that did not load
   * has a warning of its own, so the first are left out then.
   */
  async addTextOf(page: SteppedPage): Promise<void> {
    for (const name of (await page.inCreative(shownFonts))?.missing ?? []) {
      const message = `The font "${name.slice(0, MAX_ADDRESS)}" is not available, so its text is in another font. Include the font in the creative.`;
      this.#warnings.set(`fallback_font ${name}`, { code: 'fallback_font', message });
    }
    const scripts = (await page.inCreative(scriptsWithoutGlyphs)) ?? [];
    for (const warning of glyphWarnings(scripts, 'the ad')) this.#warnings.set(warning.code, warning);
  }

  list(): readonly Warning[] {
    const all = [...this.#warnings.values()];
    const hasFailedFont = all.some(({ code }) => code === 'font_not_loaded');
    return all
      .filter(({ code }) => !(hasFailedFont && code === 'fallback_font'))
      .filter(
        ({ code }, index, all) => all.slice(0, index).filter((other) => other.code === code).length < MAX_OF_CODE,
      );
  }

  #add(url: string, { type, why }: { type: string; why: string }): void {
    const isFontSheet = type === 'Stylesheet' && FONT_HOST.test(URL.parse(url)?.hostname ?? '');
    const [code, what] = isFontSheet ? FONT_SHEET : (CODES[type] ?? []);
    if (code === undefined || what === undefined) return;
    const name = readableAddress(url);
    this.#warnings.set(`${code} ${name}`, { code, message: `${what} did not load: ${name} (${why}).` });
  }
}

/** The network errors that are more specific than a failed connection. */
const ERRORS: Readonly<Record<string, string>> = {
  ERR_BLOCKED_BY_ORB: 'the server sent a different kind of content',
  ERR_NAME_NOT_RESOLVED: 'no host with that name exists',
  ERR_TIMED_OUT: 'the server did not answer in time',
};

/** @returns an error of the browser in words. Other errors are words already. */
function readableError(error: string): string {
  const code = /^net::(ERR_\w+)$/.exec(error)?.[1];
  return code === undefined ? error : (ERRORS[code] ?? `the connection failed, ${code}`);
}

/** True for files whose absence is not visible: tracking pixels, and scripts that only measure. */
function isIrrelevant(url: string, type: string, shownImages: readonly string[]): boolean {
  if (isOwnFile(url)) return false;
  return type === 'Image' ? !shownImages.includes(url) : isMeasurement(url);
}

/** @returns true if the URL is that of a service which counts or measures. */
export function isMeasurement(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null || isOwnFile(url)) return false;
  return MEASUREMENT_HOST.test(parsed.hostname) || MEASUREMENT_PATH.test(parsed.pathname);
}

/** Files of a zip and documents of ours have an origin with a random name. */
export function isOwnFile(url: string): boolean {
  return /^http:\/\/[0-9a-f]+\.creative\.localhost\//.test(url);
}

/** @returns the path of a file in the zip, or the URL without its query. */
export function readableAddress(url: string): string {
  const own = isOwnFile(url) ? decodedAddress(new URL(url).pathname.slice(1)) : url.replace(/[?#].*$/s, '');
  return own.slice(0, MAX_ADDRESS);
}

/**
 * Runs in the creative's document. A font that does not exist has the width of any font that follows it. Fonts of the style sheets
 * are left out: if their file does not load, the request shows it.
 * @returns the fonts of visible text that do not exist, and those that each device has or replaces.
 */
export function shownFonts(): { missing: string[]; system: string[] } {
  const MAX_ELEMENTS = 2_000;
  const GENERIC =
    /^(?:serif|sans-serif|monospace|cursive|fantasy|system-ui|ui-[a-z-]+|math|emoji|-apple-system|blinkmacsystemfont|inherit|initial)$/i;
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) return { missing: [], system: [] };
  const widthOf = (font: string) => {
    context.font = `72px ${font}`;
    return context.measureText('mmmiiillWWW@&01').width;
  };
  const exists = (family: string) =>
    ['monospace', 'serif'].some((generic) => widthOf(`"${family}", ${generic}`) !== widthOf(generic));
  const own = new Set([...document.fonts].map(({ family }) => family.replaceAll(/["']/g, '').toLowerCase()));
  const namesOf = (list: string) => list.split(',').map((name) => name.trim().replaceAll(/^["']|["']$/g, ''));
  const isSeen = (element: Element) => {
    const { visibility, opacity } = getComputedStyle(element);
    return visibility === 'visible' && opacity !== '0' && element.getClientRects().length > 0;
  };
  const hasText = (element: Element) =>
    [...element.childNodes].some(({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim());
  const lists = new Set(
    [...document.body.querySelectorAll('*')]
      .slice(0, MAX_ELEMENTS)
      .filter(
        (element) => !/^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/.test(element.tagName) && hasText(element) && isSeen(element),
      )
      .map((element) => getComputedStyle(element).fontFamily),
  );
  const isOwn = (list: string) => namesOf(list).some((name) => own.has(name.toLowerCase()));
  const system = [...lists].filter((list) => !isOwn(list)).map((list) => namesOf(list)[0] ?? list);
  // The browser's own default, which no creative chose.
  lists.delete('"Times New Roman"');
  const missing = [...lists].flatMap((list) => {
    const named = namesOf(list).filter((name) => name !== '' && !GENERIC.test(name));
    const [first] = named;
    const isMissing = named.every((name) => !own.has(name.toLowerCase()) && !exists(name));
    return first !== undefined && isMissing ? [first] : [];
  });
  return { missing, system };
}
