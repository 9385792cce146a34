/** Makes the part of a screenshot request that asks for exactly these combinations. */
import { byPage, type Combination } from '../domain/combinations.ts';
import type { JsonObject } from './faults.ts';
import { deviceRecord } from './records.ts';

/**
 * @param partsOf gives the options of a screenshot object, and its file in place of the site. Frames come from the combinations alone.
 * @param group of all entries; undefined for none.
 * @returns `screenshot_requests` of a screenshot request: one entry for each ad, with one object for each site, device and location.
 */
export function requestEntries(
  combinations: readonly Combination[],
  partsOf: (one: Combination) => { options: JsonObject; page?: JsonObject | undefined } = () => ({ options: {} }),
  group?: string,
): readonly JsonObject[] {
  const byAd = Map.groupBy(combinations, ({ ad }) => ad.id);
  return [...byAd].map(([id, ofAd]) => {
    const screenshots = [...byPage(ofAd).values()].flatMap((ofPage) => {
      const moments = ofPage.flatMap(({ marker }) => (marker === undefined ? [] : [{ marker }]));
      const [first] = ofPage;
      if (first === undefined) return [];
      const { options, page } = partsOf(first);
      const site = { url: first.site, ...(page && { page }) };
      // The default frame beside moments is an object of its own.
      const sets = ofPage.length > moments.length && moments.length > 0 ? [[], moments] : [moments];
      return sets.map((frames) => {
        const ad = { ...(options['ad'] ?? {}), frames };
        return { site, device: deviceRecord(first.device), options: { ...options, ad } };
      });
    });
    return { ad: { id }, ...(group !== undefined && { group }), screenshots };
  });
}
