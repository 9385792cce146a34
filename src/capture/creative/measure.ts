import { firstOf } from '../../domain/text.ts';
import type { SteppedPage } from '../browser/steppedPage.ts';
import type { Size } from './creative.ts';
import { isMeasurement, readableAddress } from './loadWarnings.ts';
import { showsOnlyPreloader } from './preloader.ts';
import { type FramesByMarker, waitUntilStill } from './renderPage.ts';
import { readShownLayout, type ShownLayout } from './shownLayout.ts';
import { isUniform, isWhite } from './stillImage.ts';

/** `white`: all frames are white, but the creative has something that it may show. */
type Blankness = 'shown' | 'white' | { readonly reason: string };

/** The names of more scripts would make the message too long. */
const MAX_NAMES = 3;

/** An uncommon size. A creative that measures exactly this fills any viewport. */
export const PROBE_VIEWPORT: Size = { width: 1_009, height: 761 };

/** @returns true if the creative shows something. */
export function showsAnything(layout: ShownLayout | undefined): boolean {
  return layout !== undefined && (layout.painted !== null || layout.filled || layout.onlyText);
}

/**
 * Runs in the creative's document.
 * @param urls images; other documents may use them too.
 * @returns URLs: at most ten visible images that the browser shows as broken, and those of `urls` that the document shows, as an
 * image, a poster or a background.
 */
export function readImages(urls: readonly string[]): { broken: string[]; shown: string[] } {
  const isSeen = (element: Element) => {
    const { width, height } = element.getBoundingClientRect();
    const { visibility, opacity } = getComputedStyle(element);
    return width > 1 && height > 1 && visibility !== 'hidden' && opacity !== '0';
  };
  const broken = [...document.images].filter(
    (image) => isSeen(image) && image.currentSrc !== '' && image.complete && image.naturalWidth === 0,
  );
  const backgrounds = [...document.querySelectorAll('*')].slice(0, 5_000).flatMap((element) =>
    [undefined, '::before', '::after'].map((part) => {
      const { backgroundImage, maskImage, borderImageSource, content } = getComputedStyle(element, part);
      return `${backgroundImage} ${maskImage} ${borderImageSource} ${content}`;
    }),
  );
  const text = backgrounds.filter((one) => one.includes('url(')).join(' ');
  // A broken image that is not displayed has no width but that of its attribute. Without one it is a tracking pixel.
  const isSized = (image: HTMLImageElement) => {
    const attribute = Number.parseFloat(image.getAttribute('width') ?? '');
    const isDisplayed = image.getClientRects().length > 0;
    return isDisplayed ? image.width !== 1 && !(attribute <= 1) : attribute > 1;
  };
  const images = [...document.images].filter(isSized);
  const posters = [...document.querySelectorAll('video')].map(({ poster }) => poster);
  const sources = new Set([...images.flatMap(({ src, currentSrc }) => [src, currentSrc]), ...posters]);
  return {
    broken: [...new Set(broken.map((image) => image.currentSrc.slice(0, 2_000)))].slice(0, 10),
    shown: urls.filter((url) => text.includes(url) || sources.has(url)),
  };
}

/**
 * Looks at the frames of a pass. If all are blank, lets the page run until it is still, because the markers may be before the ad
 * fades in.
 * @returns the reason if the creative shows nothing.
 */
export async function blanknessOf(
  page: SteppedPage,
  taken: FramesByMarker,
  layoutThen: ShownLayout | undefined,
): Promise<Blankness> {
  const pictures = [...taken.values()];
  let layout = layoutThen;
  if (!(await areAll(isUniform, pictures)) && !(await showsOnlyPreloader(page))) return 'shown';
  if (!taken.has(null)) {
    await waitUntilStill(page);
    layout = await page.inCreative(readShownLayout);
    pictures.push((await page.drawPicture()).picture);
  }
  if (await showsOnlyPreloader(page)) return { reason: whyItLoads(page) };
  if (!(await areAll(isUniform, pictures))) return 'shown';
  const paintsNothing = !layout?.filled && (layout?.painted ?? null) === null;
  const white = await areAll(isWhite, pictures);
  if (failedScripts(page).length > 0 && (white || paintsNothing)) return { reason: whyNothingIsShown(page) };
  if (!white) return 'shown';
  return paintsNothing ? { reason: whyNothingIsShown(page) } : 'white';
}

/** @returns a sentence about a creative that never shows more than its preloader. */
function whyItLoads(page: SteppedPage): string {
  if (failedScripts(page).length > 0) return whyNothingIsShown(page);
  return 'The creative shows only its preloader: its content did not appear in time. Check what it loads, and whether it waits for an ad server.';
}

/** @returns a sentence about a creative that shows nothing. It names the scripts that did not load. */
export function whyNothingIsShown(page: SteppedPage): string {
  const scripts = failedScripts(page);
  if (scripts.length === 0) return 'The creative shows nothing: it drew neither an image nor text.';
  const what = scripts.length === 1 ? 'a script did not load' : 'its scripts did not load';
  return `The creative shows nothing, because ${what}: ${firstOf(scripts, MAX_NAMES)}. Include the scripts in the creative, or make them reachable.`;
}

function failedScripts(page: SteppedPage): string[] {
  const scripts = page.requests.failures.filter(({ type, url }) => type === 'Script' && !isMeasurement(url));
  return [...new Set(scripts.map(({ url }) => readableAddress(url)))];
}

async function areAll(check: (png: Buffer) => Promise<boolean>, pictures: readonly Buffer[]): Promise<boolean> {
  for (const png of pictures) if (!(await check(png))) return false;
  return true;
}
