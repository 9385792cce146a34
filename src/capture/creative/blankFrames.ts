/** Finds out whether a creative shows nothing, and why. */
import type { SteppedPage } from '../browser/steppedPage.ts';
import { isMeasurement, readableAddress } from './loadWarnings.ts';
import { readLayout } from './measure.ts';
import { type FramesByMarker, waitUntilStill } from './renderPage.ts';
import type { ShownLayout } from './shownLayout.ts';
import { isUniform, isWhite } from './stillImage.ts';

export interface RenderedPass {
  readonly pictures: FramesByMarker;
  readonly layout: ShownLayout | undefined;
  /** True if the creative is in an iframe of the page. */
  readonly framed: boolean;
}

/** `white`: all frames are white, but the creative has something that it may show. */
export type Blankness = 'shown' | 'white' | { readonly reason: string };

/** The names of more scripts would make the message too long. */
const MAX_NAMES = 3;

/**
 * Looks at the frames of a pass. If all are blank, lets the page run until it is still, because the markers may be before the ad
 * fades in.
 * @returns the reason if the creative shows nothing.
 */
export async function blanknessOf(page: SteppedPage, pass: RenderedPass): Promise<Blankness> {
  if (!(await areAll(isUniform, [...pass.pictures.values()]))) return 'shown';
  const last = pass.pictures.has(null) ? pass : await afterAWhile(page, pass);
  const pictures = [...last.pictures.values()];
  if (!(await areAll(isUniform, pictures))) return 'shown';
  const paintsNothing = !last.layout?.filled && (last.layout?.painted ?? null) === null;
  const white = await areAll(isWhite, pictures);
  if (failedScripts(page).length > 0 && (white || paintsNothing)) return { reason: whyNothingIsShown(page) };
  if (!white) return 'shown';
  return paintsNothing ? { reason: whyNothingIsShown(page) } : 'white';
}

/** @returns a sentence about a creative that shows nothing. It names the scripts that did not load. */
export function whyNothingIsShown(page: SteppedPage): string {
  const scripts = failedScripts(page);
  if (scripts.length === 0) return 'The creative shows nothing: it drew neither an image nor text.';
  const names = scripts.slice(0, MAX_NAMES).join(', ');
  const more = scripts.length > MAX_NAMES ? ` and ${scripts.length - MAX_NAMES} more` : '';
  const what = scripts.length === 1 ? 'a script did not load' : 'its scripts did not load';
  return `The creative shows nothing, because ${what}: ${names}${more}. Put the scripts into the creative, or make them reachable.`;
}

async function afterAWhile(page: SteppedPage, { pictures, framed }: RenderedPass): Promise<RenderedPass> {
  await waitUntilStill(page);
  const layout = await readLayout(page, framed);
  const { picture } = await page.drawPicture();
  return { pictures: new Map([...pictures, [null, picture]]), layout, framed };
}

function failedScripts(page: SteppedPage): string[] {
  const scripts = page.requests.failures().filter(({ type, url }) => type === 'Script' && !isMeasurement(url));
  return [...new Set(scripts.map(({ url }) => readableAddress(url)))];
}

async function areAll(check: (png: Buffer) => Promise<boolean>, pictures: readonly Buffer[]): Promise<boolean> {
  for (const png of pictures) if (!(await check(png))) return false;
  return true;
}
