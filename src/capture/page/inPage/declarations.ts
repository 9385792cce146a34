/** Reads the ad slots that the scripts of a frame declared from what the recorder saw of them. */
import type { DrawnFormat } from '../../../domain/slotFormats.ts';

/** The function of the window that returns the recorder's {@link SlotRecords}. */
export const COLLECT_SLOTS = '__tearsheetSlots';

/** Plain data, as the page states it. A page may state anything. */
export interface SlotRecords {
  /** `id`, `sizes`, `mapping` and `outOfPage` of each slot that was defined. */
  gpt: unknown[];
  /** The same of the slots that the library knows, because a page may hide its calls from the recorder. */
  known: unknown[];
  /** Names or numbers of the formats of Google Publisher Tag for units that have no element of the page. */
  overPage: unknown[];
  /** Ad units of header bidders. */
  prebid: unknown[];
  /** The setting of Google Publisher Tag for slots that get no ad. */
  collapse: unknown;
}

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

/** Follows a path of properties. @returns undefined if one of them is missing. */
function field(value: unknown, ...path: string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Reflect.get(at, name);
  }
  return at;
}

function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Not the conversion of the language, because it calls the methods of an object, which need not be functions here. */
function numberOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? Number.NaN : Number(value);
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? '' : String(value ?? '');
}

function pairsOf(sizes: unknown): { sizes: [number, number][]; fluid: boolean } {
  const list: unknown[] = Array.isArray(sizes) ? (typeof sizes[0] === 'number' ? [sizes] : sizes) : [sizes];
  const pairs: [number, number][] = [];
  for (const size of list) {
    if (!Array.isArray(size)) continue;
    const [width, height] = size.map(numberOf);
    if (width !== undefined && height !== undefined && width > 1 && height > 1) pairs.push([width, height]);
  }
  return { sizes: pairs, fluid: list.includes('fluid') };
}

/** The row of a size mapping that applies to this window: the largest one that fits. */
function mapped(mapping: unknown): unknown {
  if (!Array.isArray(mapping)) return undefined;
  const fitting = mapping.filter(Array.isArray).flatMap(([from, sizes]) => {
    const [width = Number.NaN, height = Number.NaN] = arrayOf(from).map(numberOf);
    return width <= innerWidth && height <= innerHeight ? [{ width, height, sizes }] : [];
  });
  fitting.sort((one, two) => two.width - one.width || two.height - one.height);
  return fitting[0]?.sizes;
}

function gptDeclaration(record: unknown): Declaration {
  const { sizes, fluid } = pairsOf(mapped(field(record, 'mapping')) ?? field(record, 'sizes'));
  const outOfPage = field(record, 'outOfPage') === true;
  return { kind: 'gpt', id: textOf(field(record, 'id')), sizes, fluid, outOfPage };
}

/** A unit for films or native ads only shows them in a player or a layout of its own. */
function takesBanners(unit: unknown): boolean {
  const types = field(unit, 'mediaTypes');
  if (typeof types !== 'object' || types === null) return field(unit, 'mediaType') !== 'video';
  return Object.keys(types).length === 0 || field(types, 'banner') !== undefined;
}

function prebidDeclaration(unit: unknown): Declaration {
  const banner = field(unit, 'mediaTypes', 'banner');
  const rows = arrayOf(field(banner, 'sizeConfig')).map((row) => [field(row, 'minViewPort'), field(row, 'sizes')]);
  const flat = pairsOf(mapped(rows) ?? field(banner, 'sizes') ?? field(unit, 'sizes'));
  const outOfPage = !takesBanners(unit);
  const sizes = outOfPage ? [] : flat.sizes;
  return { kind: 'prebid', id: textOf(field(unit, 'code')), sizes, fluid: flat.fluid, outOfPage };
}

/** The numbers of `googletag.enums.OutOfPageFormat`. A stub of the library has the names in their place. */
const OVER_PAGE: Readonly<Record<string, DrawnFormat>> = {
  3: 'anchor',
  BOTTOM_ANCHOR: 'anchor',
  5: 'interstitial',
  INTERSTITIAL: 'interstitial',
};

/** @returns the formats of the units that the library would draw over the page. */
export function unitsOverPage(records: Partial<SlotRecords> | undefined): DrawnFormat[] {
  return [...new Set(arrayOf(records?.overPage).flatMap((format) => OVER_PAGE[textOf(format)] ?? []))];
}

/** @param records what the recorder returned; undefined if it did not run. */
export function declarationsIn(records: Partial<SlotRecords> | undefined): Declaration[] {
  const recorded = arrayOf(records?.gpt).map(gptDeclaration);
  const known = arrayOf(records?.known).map(gptDeclaration);
  const more = known.filter(({ id }) => !recorded.some((one) => one.id === id));
  const all = [...recorded, ...more, ...arrayOf(records?.prebid).map(prebidDeclaration)];
  // One element may have a unit for films beside a slot for banners.
  const takesAds = new Set(all.filter(({ outOfPage, kind }) => !outOfPage || kind === 'gpt').map(({ id }) => id));
  return all.filter(({ id, kind, outOfPage }) => kind === 'gpt' || !outOfPage || !takesAds.has(id)).slice(0, 500);
}
