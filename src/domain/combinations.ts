/** The screenshots of a request as single combinations of ad, site, device, moment and location. */
import { fitFault } from './adFit.ts';
import type { AdCategory, AdSize } from './ads.ts';
import { type DeviceName, findDevice } from './devices.ts';
import { markerMs } from './markers.ts';
import { DEFAULT_OPTIONS, type ScreenshotOptions } from './screenshotOptions.ts';
import { siteKey } from './webAddresses.ts';

/** An ad, as far as it decides what can be requested. */
export interface WantedAd {
  readonly id: string;
  /** Null if it is not known. Then the ad may fit. */
  readonly size: AdSize | null;
  /** An image that does not move. */
  readonly still: boolean;
  /** Null until captured. A video player shows a video of any size. */
  readonly category?: AdCategory | null;
}

export interface Combination {
  readonly ad: WantedAd;
  /** An address without a fault. */
  readonly site: string;
  readonly device: DeviceName;
  /** Seconds; undefined is the default frame. */
  readonly marker: number | undefined;
  /** Id of the location from which the page is opened; undefined is none. */
  readonly location?: string | undefined;
}

/** @returns the combinations of each page: a site on a device, opened from one location. */
export function byPage(combinations: readonly Combination[]): Map<string, Combination[]> {
  return Map.groupBy(combinations, ({ site, device, location }) => JSON.stringify([siteKey(site), device, location]));
}

export interface Planned {
  readonly combinations: readonly Combination[];
  /** Combinations that do not fit the device and were left out. */
  readonly notFitting: number;
  /** Combinations that were there before, perhaps because a still ad shows the same at all moments. */
  readonly repeated: number;
}

type Fit = Pick<ScreenshotOptions, 'allowScaling' | 'fullPage'>;

/** @param fit null keeps the combinations that cannot fit. */
export function planCombinations(wanted: Iterable<Combination>, fit: Fit | null = DEFAULT_OPTIONS): Planned {
  const combinations: Combination[] = [];
  const seen = new Set<string>();
  let [notFitting, repeated] = [0, 0];
  for (const one of wanted) {
    const combination = one.ad.still ? { ...one, marker: undefined } : one;
    const { ad, site, device, marker, location } = combination;
    const moment = marker === undefined ? null : markerMs(marker);
    const key = JSON.stringify([ad.id, siteKey(site), device, moment, location]);
    if (seen.has(key)) repeated += 1;
    else if (fit !== null && !fits(combination, fit)) notFitting += 1;
    else combinations.push(combination);
    seen.add(key);
  }
  return { combinations, notFitting, repeated };
}

function fits({ ad, device }: Combination, fit: Fit): boolean {
  const screen = findDevice(device)?.viewport;
  if (ad.category === 'video') return true;
  return ad.size === null || screen === undefined || fitFault(ad.size, screen, fit) === undefined;
}

export interface Grid {
  readonly ads: readonly WantedAd[];
  readonly sites: readonly string[];
  readonly devices: readonly DeviceName[];
  /** Seconds. None: the default frame. */
  readonly markers: readonly number[];
  /** Ids. None: no location. */
  readonly locations?: readonly string[] | undefined;
}

/** Each ad on each site and device at each moment, from each location. */
export function* combinationsOf({ ads, sites, devices, markers, locations = [] }: Grid): Generator<Combination> {
  for (const ad of ads)
    for (const site of sites)
      for (const device of devices)
        for (const marker of markers.length === 0 ? [undefined] : markers)
          for (const location of locations.length === 0 ? [undefined] : locations)
            yield { ad, site, device, marker, location };
}
