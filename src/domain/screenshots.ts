import type { DeviceName } from './devices.ts';

/** One screenshot object of a request, its markers in milliseconds; none: the default capture. */
export interface WantedScreenshots {
  readonly site: { readonly url: string; readonly key: string };
  readonly device: DeviceName;
  readonly markers: readonly number[];
}

/** One picture to be made. */
export interface Picture {
  readonly adId: string;
  readonly siteUrl: string;
  readonly siteKey: string;
  readonly device: DeviceName;
  readonly markerMs: number | null;
}

export interface WantedOfAd {
  /** Whatever tells ads apart: entries of the same ad are merged. */
  readonly adId: string;
  readonly screenshots: readonly WantedScreenshots[];
}

/**
 * The pictures of a request in its order: one for each marker of each object. What comes twice (same ad, site, device and
 * marker, in whichever entry) is one picture.
 * @param most stops after one more than this.
 */
export function expandScreenshots(entries: readonly WantedOfAd[], most: number): Picture[] {
  const pictures = new Map<string, Picture>();
  for (const picture of wantedPictures(entries)) {
    const key = `${picture.adId} ${picture.device} ${picture.markerMs} ${picture.siteKey}`;
    if (!pictures.has(key)) pictures.set(key, picture);
    if (pictures.size > most) break;
  }
  return [...pictures.values()];
}

function* wantedPictures(entries: readonly WantedOfAd[]): Generator<Picture> {
  for (const { adId, screenshots } of entries) {
    for (const { site, device, markers } of screenshots) {
      for (const markerMs of markers.length === 0 ? [null] : markers) {
        yield { adId, siteUrl: site.url, siteKey: site.key, device, markerMs };
      }
    }
  }
}

/** How many pictures there are at most, before merging. */
export function countWanted(entries: readonly Pick<WantedOfAd, 'screenshots'>[]): number {
  let count = 0;
  for (const { screenshots } of entries) for (const { markers } of screenshots) count += Math.max(1, markers.length);
  return count;
}
