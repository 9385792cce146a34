/** Records, inside every frame from its first moment, which ad slots its scripts declare. */
import { expressionOf } from './script.ts';

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

interface GptRecord {
  id: string;
  sizes: unknown;
  mapping: unknown;
  outOfPage: boolean;
}

interface Records {
  gpt: GptRecord[];
  prebid: unknown[];
  faults: string[];
}

type Loose = Record<string, unknown>;

function records(): Records {
  const key = '__slotDeclarations';
  const known = Reflect.get(window, key) as Records | undefined;
  if (known) return known;
  const fresh: Records = { gpt: [], prebid: [], faults: [] };
  Object.defineProperty(window, key, { value: fresh, enumerable: false });
  return fresh;
}

function guarded(work: () => void): void {
  try {
    work();
  } catch (error) {
    records().faults.push(String(error).slice(0, 200));
  }
}

/** Shows each value that is ever set to the property; what `seen` gives back is stored in its place. */
function trap(owner: object, name: string, seen: (value: unknown) => unknown): void {
  guarded(() => {
    let value = seen(Reflect.get(owner, name));
    Object.defineProperty(owner, name, {
      configurable: true,
      enumerable: true,
      get: () => value,
      set: (next: unknown) => {
        value = seen(next);
      },
    });
  });
}

function watchMethod(owner: object, name: string, called: (args: unknown[], result: unknown) => void): void {
  trap(owner, name, (method) => {
    if (typeof method !== 'function') return method;
    return function watched(this: unknown, ...args: unknown[]) {
      const result: unknown = Reflect.apply(method, this, args);
      guarded(() => called(args, result));
      return result;
    };
  });
}

function recordGptSlot(path: unknown, sizes: unknown, id: unknown, slot: unknown): void {
  const record: GptRecord = { id: typeof id === 'string' ? id : '', sizes, mapping: null, outOfPage: false };
  if (records().gpt.length < 500) records().gpt.push(record);
  if (record.id === '' && typeof path === 'string') record.id = path;
  if (typeof slot !== 'object' || slot === null) return;
  const define: unknown = Reflect.get(slot, 'defineSizeMapping');
  if (typeof define !== 'function') return;
  Reflect.set(slot, 'defineSizeMapping', (mapping: unknown) => {
    record.mapping = mapping;
    return Reflect.apply(define, slot, [mapping]);
  });
}

function watchGoogletag(tag: unknown): unknown {
  if (typeof tag !== 'object' || tag === null) return tag;
  watchMethod(tag, 'defineSlot', ([path, sizes, id], slot) => recordGptSlot(path, sizes, id, slot));
  watchMethod(tag, 'defineOutOfPageSlot', ([, id]) => {
    if (typeof id === 'string') records().gpt.push({ id, sizes: [], mapping: null, outOfPage: true });
  });
  return tag;
}

function watchPrebid(pbjs: unknown): unknown {
  if (typeof pbjs !== 'object' || pbjs === null) return pbjs;
  watchMethod(pbjs, 'addAdUnits', ([units]) => {
    for (const unit of [units].flat()) if (records().prebid.length < 500) records().prebid.push(unit);
  });
  return pbjs;
}

function startRecording(): void {
  records();
  trap(window, 'googletag', watchGoogletag);
  trap(window, 'pbjs', watchPrebid);
  // Nobody is there to answer; a loop of dialogs would hold the page for ever.
  for (const name of ['alert', 'print']) Reflect.set(window, name, () => undefined);
  Reflect.set(window, 'confirm', () => false);
  Reflect.set(window, 'prompt', () => null);
}

/** Stands in for a library that never came, so that the commands that wait for it can be run. */
function chainable(): unknown {
  const proxy: unknown = new Proxy(() => undefined, {
    get: (_target, name) => {
      if (name === Symbol.toPrimitive) return () => '';
      if (name === 'then' || name === Symbol.iterator) return undefined;
      return proxy;
    },
    set: () => true,
    apply: () => proxy,
  });
  return proxy;
}

/** The calls are recorded by the watch on their names. */
function standInGpt(): Loose {
  return {
    defineSlot: () => {
      const slot: unknown = new Proxy(
        {},
        { get: (own, name) => (Reflect.has(own, name) ? Reflect.get(own, name) : () => slot) },
      );
      return slot;
    },
    sizeMapping: () => {
      const rows: unknown[] = [];
      const builder = {
        addSize: (...row: unknown[]) => {
          rows.push(row);
          return builder;
        },
        build: () => rows,
      };
      return builder;
    },
  };
}

function runWaiting(api: unknown, queueName: string, standIn: Loose): void {
  if (typeof api !== 'object' || api === null) return;
  const queue: unknown = Reflect.get(api, queueName);
  if (!Array.isArray(queue)) return;
  for (const [name, method] of Object.entries(standIn)) Reflect.set(api, name, method);
  for (const name of [
    'pubads',
    'enableServices',
    'display',
    'setConfig',
    'companionAds',
    'defineOutOfPageSlot',
    'enums',
    'requestBids',
    'setTargetingForGPTAsync',
  ])
    if (Reflect.get(api, name) === undefined) Reflect.set(api, name, chainable());
  for (const command of queue.splice(0, 200))
    if (typeof command === 'function') guarded(() => void Reflect.apply(command, window, []));
}

function runWhatWaits(): void {
  const tag: unknown = Reflect.get(window, 'googletag');
  if (field(tag, 'apiReady') !== true) runWaiting(tag, 'cmd', standInGpt());
  const pbjs: unknown = Reflect.get(window, 'pbjs');
  if (field(pbjs, 'libLoaded') === true) return;
  runWaiting(pbjs, 'que', { addAdUnits: () => undefined });
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

/** A property of a property… of a foreign object; undefined where there is none. */
function field(value: unknown, ...path: (string | number)[]): unknown {
  let at = value;
  for (const name of path) {
    if ((typeof at !== 'object' && typeof at !== 'function') || at === null) return undefined;
    at = Reflect.get(at, name);
  }
  return at;
}

function call(value: unknown, name: string, ...args: unknown[]): unknown {
  const method = field(value, name);
  return typeof method === 'function' ? Reflect.apply(method, value, args) : undefined;
}

function listed(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
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

const RECORDER = [records, guarded, trap, watchMethod, recordGptSlot, watchGoogletag, watchPrebid, startRecording];

/** To be run in every frame before its own scripts. */
export const RECORD_DECLARATIONS = expressionOf(RECORDER, 'startRecording()');

/** Gives the frame's {@link Declaration}s. */
export const COLLECT_DECLARATIONS = expressionOf(
  [
    records,
    guarded,
    chainable,
    standInGpt,
    runWaiting,
    runWhatWaits,
    pairsOf,
    mapped,
    gptDeclarations,
    field,
    call,
    listed,
    gptSlotsKnown,
    prebidDeclarations,
    collectDeclarations,
  ],
  'collectDeclarations()',
);
