/** The ad slots that a frame's scripts have declared. */
import { FOREIGN_OBJECTS } from './foreignObjects.ts';
import { RECORDS } from './recorder.ts';
import { expressionOf } from './script.ts';
import { WAITING_COMMANDS } from './waitingCommands.ts';

declare const call: typeof FOREIGN_OBJECTS.call;
declare const field: typeof FOREIGN_OBJECTS.field;
declare const guarded: typeof RECORDS.guarded;
declare const listed: typeof FOREIGN_OBJECTS.listed;
declare const records: typeof RECORDS.records;
declare const runWhatWaits: typeof WAITING_COMMANDS.runWhatWaits;

export interface Declaration {
  kind: 'gpt' | 'prebid';
  /** Id of the element. */
  id: string;
  /** For the present window; empty when the page shows nothing there at this width. */
  sizes: [number, number][];
  fluid: boolean;
  /** An anchor or interstitial, which stands outside of the page's layout. */
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

/** The row of a size mapping that holds for this window: the largest that fits. */
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

/** What the library itself knows, for a page that hid its calls from us. */
function gptSlotsKnown(): Declaration[] {
  const found: Declaration[] = [];
  guarded(() => {
    const tag: unknown = Reflect.get(window, 'googletag');
    if (field(tag, 'apiReady') !== true) return;
    for (const slot of listed(call(call(tag, 'pubads'), 'getSlots'))) {
      const sizes = listed(call(slot, 'getSizes', innerWidth, innerHeight)).map((size) =>
        typeof size === 'string' ? size : [call(size, 'getWidth'), call(size, 'getHeight')],
      );
      const outOfPage = call(slot, 'getOutOfPage') === true;
      found.push({ kind: 'gpt', id: String(call(slot, 'getSlotElementId')), ...pairsOf(sizes), outOfPage });
    }
  });
  return found;
}

function prebidDeclarations(): Declaration[] {
  const found: Declaration[] = [];
  const known = listed(field(Reflect.get(window, 'pbjs'), 'adUnits'));
  for (const unit of [...records().prebid, ...known]) {
    guarded(() => {
      const banner = field(unit, 'mediaTypes', 'banner');
      const rows = listed(field(banner, 'sizeConfig')).map((row) => [field(row, 'minViewPort'), field(row, 'sizes')]);
      const flat = pairsOf(mapped(rows) ?? field(banner, 'sizes') ?? field(unit, 'sizes'));
      const player = pairsOf(field(unit, 'mediaTypes', 'video', 'playerSize'));
      const sizes = [...flat.sizes, ...player.sizes];
      found.push({ kind: 'prebid', id: String(field(unit, 'code')), sizes, fluid: flat.fluid, outOfPage: false });
    });
  }
  return found;
}

function collectDeclarations(): Declaration[] {
  runWhatWaits();
  const recorded = gptDeclarations();
  const more = gptSlotsKnown().filter(({ id }) => !recorded.some((one) => one.id === id));
  return [...recorded, ...more, ...prebidDeclarations()].slice(0, 500);
}

/** Gives the frame's {@link Declaration}s. */
export const COLLECT_DECLARATIONS = expressionOf(
  {
    ...RECORDS,
    ...FOREIGN_OBJECTS,
    ...WAITING_COMMANDS,
    pairsOf,
    mapped,
    gptDeclarations,
    gptSlotsKnown,
    prebidDeclarations,
    collectDeclarations,
  },
  'collectDeclarations()',
);
