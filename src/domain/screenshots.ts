import type { DeviceName } from './devices.ts';
import type { PageAccess } from './pageAccess.ts';
import type { ScreenshotOptions } from './screenshotOptions.ts';

/** The screenshot that a new one takes again. */
export interface Retaken {
  readonly id: string;
  /** The first of all retakes. */
  readonly originalId: string;
}

/** One screenshot object of a request. Markers are in milliseconds; without markers it is the default frame. */
export interface WantedScreenshots {
  /** Its path in the request, for faults; absent in a retake. */
  readonly path?: string;
  readonly site: { readonly url: string; readonly key: string };
  readonly device: DeviceName;
  readonly markers: readonly number[];
  readonly options: ScreenshotOptions;
  /** The values of the cookies and headers that the options name. */
  readonly access: PageAccess | null;
  readonly retakeOf?: Retaken | undefined;
}

/** One screenshot to capture. */
export interface PlannedPicture {
  readonly adId: string;
  readonly siteUrl: string;
  readonly siteKey: string;
  readonly device: DeviceName;
  readonly markerMs: number | null;
  readonly options: ScreenshotOptions;
  readonly access: PageAccess | null;
  readonly retakeOf?: Retaken | undefined;
}

export interface WantedOfAd {
  /** Identifies the ad; entries of the same ad are merged. */
  readonly adId: string;
  readonly screenshots: readonly WantedScreenshots[];
}

/**
 * @param most the function stops after one screenshot more than this.
 * @returns the screenshots of a request in its order, one for each marker of each object. The same ad, site, device, marker and options,
 *   also in different entries, give one screenshot.
 */
export function expandScreenshots(entries: readonly WantedOfAd[], most: number): PlannedPicture[] {
  const pictures = new Map<string, PlannedPicture>();
  for (const picture of wantedPictures(entries)) {
    const key = `${picture.adId} ${picture.device} ${picture.markerMs} ${picture.siteKey} ${optionsKey(picture)}`;
    if (!pictures.has(key)) pictures.set(key, picture);
    if (pictures.size > most) break;
  }
  return [...pictures.values()];
}

function optionsKey({ options, access }: PlannedPicture): string {
  return JSON.stringify({ ...options, access });
}

function* wantedPictures(entries: readonly WantedOfAd[]): Generator<PlannedPicture> {
  for (const { adId, screenshots } of entries) {
    for (const { site, device, markers, options, access, retakeOf } of screenshots) {
      for (const markerMs of markers.length === 0 ? [null] : markers) {
        yield { adId, siteUrl: site.url, siteKey: site.key, device, markerMs, options, access, retakeOf };
      }
    }
  }
}

/** @returns the number of screenshots before duplicates are merged. */
export function countWanted(entries: readonly Pick<WantedOfAd, 'screenshots'>[]): number {
  let count = 0;
  for (const { screenshots } of entries) for (const { markers } of screenshots) count += Math.max(1, markers.length);
  return count;
}
