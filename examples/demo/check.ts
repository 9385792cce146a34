import type { Publishers } from '../../test/fixtures/publisherServer.ts';
import type { ScreenshotRecord } from './client.ts';
import { seekAd } from './pixels.ts';
import type { PlannedAd, Wanted } from './plan.ts';

export interface Checked {
  readonly screenshot: ScreenshotRecord;
  readonly ad: PlannedAd;
  readonly place: Wanted;
  readonly png: Buffer | undefined;
  /** Result of the check, in words. */
  readonly words: string;
  /** Why the demo fails, if it does. */
  readonly fault: string | undefined;
}

/** Downloads one picture and searches it for its ad, or compares its failure with the expected one. */
export async function checkScreenshot(
  screenshot: ScreenshotRecord,
  plan: readonly PlannedAd[],
  publishers: Publishers,
): Promise<Checked> {
  const { ad, place } = plannedFor(screenshot, plan, publishers);
  const expected = place.status ?? 'uploaded';
  const given = { screenshot, ad, place };
  if (screenshot.status !== expected) {
    const fault = `status ${screenshot.status} instead of ${expected}: ${screenshot.reason ?? ''}`;
    return { ...given, png: undefined, words: fault, fault };
  }
  if (screenshot.image_url === null) {
    const fault = expected === 'uploaded' ? 'uploaded, but it has no picture' : undefined;
    return { ...given, png: undefined, words: screenshot.reason ?? '', fault };
  }
  const png = await download(screenshot.image_url);
  const { words, fault } = await lookFor(png, screenshot, ad);
  return { ...given, png, words, fault };
}

async function lookFor(png: Buffer, { frame, width, device }: ScreenshotRecord, { creative }: PlannedAd) {
  const ratio = (width ?? 0) / (VIEWPORT_WIDTHS[device.name] ?? Number.NaN);
  const patches = [
    creative.signature,
    ...creative.expectColors.filter(({ marker }) => marker === frame.marker).map(({ patch }) => patch),
  ];
  const { found, words } = await seekAd(png, patches, ratio);
  return { words, fault: found ? undefined : `the ad is not in the picture: ${words}` };
}

/** Viewports of the devices that the demo uses, in CSS pixels. */
const VIEWPORT_WIDTHS: Readonly<Record<string, number>> = {
  desktop: 1440,
  mobile: 360,
  iphone: 390,
  tablet: 800,
  'Apple iPhone X': 375,
  'Google Pixel 4': 353,
};

function plannedFor(
  { ad: { lookup_key }, site, device }: ScreenshotRecord,
  plan: readonly PlannedAd[],
  publishers: Publishers,
) {
  const ad = plan.find(({ creative }) => creative.key === lookup_key);
  const place = ad?.places.find((wanted) => publishers.url(wanted.page) === site.url && wanted.device === device.name);
  if (ad === undefined || place === undefined)
    throw new Error(`The set contains a screenshot that was not requested: ${lookup_key} on ${site.url}.`);
  return { ad, place };
}

async function download(url: string): Promise<Buffer> {
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  if (!response.ok) throw new Error(`The request for the picture at ${url} failed with status ${response.status}.`);
  return Buffer.from(await response.arrayBuffer());
}
