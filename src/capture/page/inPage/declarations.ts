/** Collects the ad slots that a frame's scripts have declared. */

import { RECORDS } from './declarationRecorder.ts';
import { PAGE_OBJECTS } from './pageObjects.ts';
import { QUEUED_COMMANDS } from './queuedCommands.ts';
import { expressionOf } from './script.ts';

declare const call: typeof PAGE_OBJECTS.call;
declare const field: typeof PAGE_OBJECTS.field;
declare const catchErrors: typeof RECORDS.catchErrors;
declare const arrayOf: typeof PAGE_OBJECTS.arrayOf;
declare const records: typeof RECORDS.records;
declare const runQueuedCommands: typeof QUEUED_COMMANDS.runQueuedCommands;

export interface Declaration {
  kind: 'gpt' | 'prebid';
  /** Id of the element. */
  id: string;
  /** For this window; empty if the page shows nothing in the slot at this width. */
  sizes: [number, number][];
  fluid: boolean;
  /** An anchor or interstitial outside of the page's layout, or a player. */
  outOfPage: boolean;
}

function pairsOf(sizes: unknown): { sizes: [number, number][]; fluid: boolean } {
  const list: unknown[] = Array.isArray(sizes) ? (typeof sizes[0] === 'number' ? [sizes] : sizes) : [sizes];
  const pairs: [number, number][] = [];
  for (const size of list) {
    if (!Array.isArray(size)) continue;
    const [width, height] = size.map(Number);
    if (width !== undefined && height !== undefined && width > 1 && height > 1) pairs.push([width, height]);
  }
  return { sizes: pairs, fluid: list.includes('fluid') };
}

/** The row of a size mapping that applies to this window: the largest one that fits. */
function mapped(mapping: unknown): unknown {
  if (!Array.isArray(mapping)) return undefined;
  const fitting = mapping.filter(
    (row) => Array.isArray(row) && row[0]?.[0] <= innerWidth && row[0]?.[1] <= innerHeight,
  );
  fitting.sort((one, two) => two[0][0] - one[0][0] || two[0][1] - one[0][1]);
  return fitting[0]?.[1];
}

function gptDeclarations(): Declaration[] {
  return records().gpt.map(({ id, sizes, mapping, outOfPage }) => ({
    kind: 'gpt',
    id,
    ...pairsOf(mapped(mapping) ?? sizes),
    outOfPage,
  }));
}

/** Slots that the library knows, because a page may hide its calls from the recorder. */
function gptSlotsKnown(): Declaration[] {
  const found: Declaration[] = [];
  catchErrors(() => {
    const tag: unknown = Reflect.get(window, 'googletag');
    if (field(tag, 'apiReady') !== true) return;
    for (const slot of arrayOf(call(call(tag, 'pubads'), 'getSlots'))) {
      const sizes = arrayOf(call(slot, 'getSizes', innerWidth, innerHeight)).map((size) =>
        typeof size === 'string' ? size : [call(size, 'getWidth'), call(size, 'getHeight')],
      );
      const outOfPage = call(slot, 'getOutOfPage') === true;
      found.push({ kind: 'gpt', id: String(call(slot, 'getSlotElementId')), ...pairsOf(sizes), outOfPage });
    }
  });
  return found;
}

/** A unit for films or native ads only shows them in a player or a layout of its own. */
function takesBanners(unit: unknown): boolean {
  const types = field(unit, 'mediaTypes');
  if (typeof types !== 'object' || types === null) return field(unit, 'mediaType') !== 'video';
  return Object.keys(types).length === 0 || field(types, 'banner') !== undefined;
}

function prebidDeclarations(): Declaration[] {
  const found: Declaration[] = [];
  const known = arrayOf(field(Reflect.get(window, 'pbjs'), 'adUnits'));
  for (const unit of [...records().prebid, ...known]) {
    catchErrors(() => {
      const banner = field(unit, 'mediaTypes', 'banner');
      const rows = arrayOf(field(banner, 'sizeConfig')).map((row) => [field(row, 'minViewPort'), field(row, 'sizes')]);
      const flat = pairsOf(mapped(rows) ?? field(banner, 'sizes') ?? field(unit, 'sizes'));
      const outOfPage = !takesBanners(unit);
      const sizes = outOfPage ? [] : flat.sizes;
      found.push({ kind: 'prebid', id: String(field(unit, 'code')), sizes, fluid: flat.fluid, outOfPage });
    });
  }
  return found;
}

function collectDeclarations(): Declaration[] {
  runQueuedCommands();
  const recorded = gptDeclarations();
  const more = gptSlotsKnown().filter(({ id }) => !recorded.some((one) => one.id === id));
  const all = [...recorded, ...more, ...prebidDeclarations()];
  // One element may have a unit for films beside a slot for banners.
  const takesAds = new Set(all.filter(({ outOfPage, kind }) => !outOfPage || kind === 'gpt').map(({ id }) => id));
  return all.filter(({ id, kind, outOfPage }) => kind === 'gpt' || !outOfPage || !takesAds.has(id)).slice(0, 500);
}

/** Evaluates to the frame's {@link Declaration}s. */
export const COLLECT_DECLARATIONS = expressionOf(
  {
    ...RECORDS,
    ...PAGE_OBJECTS,
    ...QUEUED_COMMANDS,
    pairsOf,
    mapped,
    gptDeclarations,
    gptSlotsKnown,
    takesBanners,
    prebidDeclarations,
    collectDeclarations,
  },
  'collectDeclarations()',
);
