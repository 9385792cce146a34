/** Makes the part of a screenshot request that asks for exactly these combinations. */
import { byPage, type Combination } from '../domain/combinations.ts';
import type { JsonObject } from './faults.ts';
import { deviceRecord } from './records.ts';

/**
 * @param group of all entries; undefined for none.
 * @param optionsOf gives the options of a screenshot object. Frames come from the combinations alone.
 * @returns `screenshot_requests` of a screenshot request: one entry for each ad, with one object for each site, device and location.
 */
export function requestEntries(
  combinations: readonly Combination[],
  optionsOf: (one: Combination) => JsonObject = () => ({}),
  group?: string,
): readonly JsonObject[] {
  const byAd = Map.groupBy(combinations, ({ ad }) => ad.id);
  return [...byAd].map(([id, ofAd]) => {
    const screenshots = [...byPage(ofAd).values()].flatMap((group) => {
      const frames = group.flatMap(({ marker }) => (marker === undefined ? [] : [{ marker }]));
      const [first] = group;
      // The default frame beside moments is an object of its own.
      const sets = group.length > frames.length && frames.length > 0 ? [[], frames] : [frames];
      return first === undefined ? [] : sets.map((set) => screenshotObject(first, set, optionsOf(first)));
    });
    return { ad: { id }, ...(group !== undefined && { group }), screenshots };
  });
}

function screenshotObject({ site, device }: Combination, frames: readonly { marker: number }[], options: JsonObject) {
  const ad = { ...(options['ad'] ?? {}), frames };
  return { site: { url: site }, device: deviceRecord(device), options: { ...options, ad } };
}
