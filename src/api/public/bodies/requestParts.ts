/** The entries of a screenshot request on their way from a thread. They arrive in parts, because a whole list would hold the event loop. */
import { deserialize, serialize } from 'node:v8';
import type { ParsedEntry } from '../../../contract/parseScreenshotRequest.ts';
import type { WantedScreenshots } from '../../../domain/screenshots.ts';
import { transferable } from './receiveBody.ts';

/** Weight of a part, about its bytes. The service reads such a part in a few milliseconds. */
const PART_WEIGHT = 256 * 1024;
const WEIGHT = { entry: 200, screenshot: 200, marker: 8 };

/** @returns bytes, each part with a buffer of its own. */
export function partsOfEntries(entries: readonly ParsedEntry[]): Uint8Array<ArrayBuffer>[] {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let open: ParsedEntry[] = [];
  let weight = 0;
  const close = () => {
    if (open.length > 0) parts.push(transferable(serialize(open)));
    [open, weight] = [[], 0];
  };
  for (const { path, ad, screenshots } of entries) {
    let taken: WantedScreenshots[] = [];
    open.push({ path, ad, screenshots: taken });
    weight += WEIGHT.entry + (ad?.content?.media.content.length ?? 0);
    for (const screenshot of screenshots) {
      if (weight > PART_WEIGHT) {
        close();
        // The rest of the entry.
        taken = [];
        open.push({ path, ad: undefined, screenshots: taken });
      }
      taken.push(screenshot);
      weight += WEIGHT.screenshot + screenshot.site.url.length + screenshot.markers.length * WEIGHT.marker;
    }
    if (weight > PART_WEIGHT) close();
  }
  close();
  return parts;
}

/** Reads the parts in steps. @returns the entries. */
export function* entriesOfParts(parts: readonly Uint8Array[]): Generator<undefined, ParsedEntry[]> {
  const entries: (ParsedEntry & { readonly screenshots: WantedScreenshots[] })[] = [];
  for (const part of parts) {
    for (const entry of deserialize(part) as typeof entries) {
      const last = entries.at(-1);
      if (last?.path === entry.path) last.screenshots.push(...entry.screenshots);
      else entries.push(entry);
    }
    yield;
  }
  return entries;
}
