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

/**
 * The pictures of a request in its order: one for each marker of each object. What comes twice (same ad, site, device and
 * marker, in whichever entry) is one picture.
 */
export function expandScreenshots(
  entries: readonly { readonly adId: string; readonly screenshots: readonly WantedScreenshots[] }[],
): Picture[] {
  const pictures = new Map<string, Picture>();
  for (const { adId, screenshots } of entries) {
    for (const { site, device, markers } of screenshots) {
      for (const markerMs of markers.length === 0 ? [null] : markers) {
        const key = `${adId} ${device} ${markerMs} ${site.key}`;
        if (!pictures.has(key)) pictures.set(key, { adId, siteUrl: site.url, siteKey: site.key, device, markerMs });
      }
    }
  }
  return [...pictures.values()];
}
