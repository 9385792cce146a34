import type { SteppedPage } from '../browser/steppedPage.ts';
import { readShownLayout, type ShownLayout } from './shownLayout.ts';
import type { Size } from './size.ts';

/** An uncommon size. A creative that measures exactly this fills any viewport. */
export const PROBE_VIEWPORT: Size = { width: 1_009, height: 761 };

/** Reads what the creative shows, inside its own iframe. @returns undefined if the document cannot be read. */
export async function readLayout(page: SteppedPage, framed: boolean): Promise<ShownLayout | undefined> {
  const frame = framed ? await page.childFrame() : undefined;
  return (await page.evaluate(`(${readShownLayout})()`, frame)) as ShownLayout | undefined;
}

/** @returns true if the creative shows something. */
export function showsAnything(layout: ShownLayout | undefined): boolean {
  return layout !== undefined && (layout.painted !== null || layout.filled || layout.onlyText);
}

/** Images of one document, by URL. */
export interface PageImages {
  /** Visible images that the browser shows as broken, at most ten. */
  readonly broken: readonly string[];
  /** Those of the given URLs that the document shows: as an image or as a background. */
  readonly shown: readonly string[];
}

/** Finds broken images. @param urls images that did not load; other documents may use them too. */
export async function readImages(page: SteppedPage, framed: boolean, urls: readonly string[]): Promise<PageImages> {
  const frame = framed ? await page.childFrame() : undefined;
  const found = await page.evaluate(`(${imagesIn})(${JSON.stringify(urls)})`, frame);
  return (found as PageImages | undefined) ?? { broken: [], shown: [] };
}

/** Runs in the creative's iframe. */
function imagesIn(urls: string[]): { broken: string[]; shown: string[] } {
  const isSeen = (element: Element) => {
    const { width, height } = element.getBoundingClientRect();
    const { visibility, opacity } = getComputedStyle(element);
    return width > 1 && height > 1 && visibility !== 'hidden' && opacity !== '0';
  };
  const broken = [...document.images].filter(
    (image) => isSeen(image) && image.currentSrc !== '' && image.complete && image.naturalWidth === 0,
  );
  const backgrounds = [...document.querySelectorAll('*')].slice(0, 5_000).map((element) => {
    const { backgroundImage, maskImage, borderImageSource } = getComputedStyle(element);
    return `${backgroundImage} ${maskImage} ${borderImageSource}`;
  });
  const text = backgrounds.filter((one) => one.includes('url(')).join(' ');
  // A broken image that is not displayed has no width but that of its attribute. Without one it is a tracking pixel.
  const isSized = (image: HTMLImageElement) => {
    const attribute = Number.parseFloat(image.getAttribute('width') ?? '');
    const isDisplayed = image.getClientRects().length > 0;
    return isDisplayed ? image.width !== 1 && !(attribute <= 1) : attribute > 1;
  };
  const sources = new Set([...document.images].filter(isSized).map((image) => image.src));
  return {
    broken: [...new Set(broken.map((image) => image.currentSrc.slice(0, 2_000)))].slice(0, 10),
    shown: urls.filter((url) => text.includes(url) || sources.has(url)),
  };
}
