/** Records which ad slots the scripts of a frame declare, before they run, and collects them after the page has loaded. */
import { expressionOf } from './script.ts';

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

function records(): Records {
  const key = '__slotDeclarations';
  const known = Reflect.get(window, key) as Records | undefined;
  if (known) return known;
  const fresh: Records = { gpt: [], prebid: [], faults: [] };
  Object.defineProperty(window, key, { value: fresh, enumerable: false });
  return fresh;
}

function catchErrors(work: () => void): void {
  try {
    work();
  } catch (error) {
    records().faults.push(String(error).slice(0, 200));
  }
}

/** Passes each value that is assigned to the property through `seen`, and stores the result of `seen` instead. */
function interceptProperty(owner: object, name: string, seen: (value: unknown) => unknown): void {
  catchErrors(() => {
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
  interceptProperty(owner, name, (method) => {
    if (typeof method !== 'function') return method;
    return function watched(this: unknown, ...args: unknown[]) {
      const result: unknown = Reflect.apply(method, this, args);
      catchErrors(() => called(args, result));
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

/** Amazon's bidder gets its slots beside or without those of Prebid. */
function watchApstag(tag: unknown): unknown {
  if (typeof tag !== 'object' || tag === null) return tag;
  watchMethod(tag, 'fetchBids', ([request]) => {
    const { slots } = request as { slots?: unknown };
    for (const { slotID, ...unit } of [slots].flat() as Loose[])
      if (records().prebid.length < 500) records().prebid.push({ code: slotID, ...unit });
  });
  return tag;
}

function startRecording(): void {
  records();
  interceptProperty(window, 'googletag', watchGoogletag);
  interceptProperty(window, 'pbjs', watchPrebid);
  interceptProperty(window, 'apstag', watchApstag);
  // No person answers these dialogs, so a loop of them would block the page forever.
  for (const name of ['alert', 'print']) Reflect.set(window, name, () => undefined);
  Reflect.set(window, 'confirm', () => false);
  Reflect.set(window, 'prompt', () => null);
}

/** Run this in every frame before its own scripts. */
export const RECORD_DECLARATIONS = expressionOf(
  {
    records,
    catchErrors,
    interceptProperty,
    watchMethod,
    recordGptSlot,
    watchGoogletag,
    watchPrebid,
    watchApstag,
    startRecording,
  },
  'startRecording()',
);

/** Follows a path of properties. @returns undefined if one of them is missing. */
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

function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

type Loose = Record<string, unknown>;

/** A stub of a library that did not load, so that the commands queued for it can run. */
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

/** The recorder intercepts these methods by name. */
function stubGpt(): Loose {
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

function runQueue(api: unknown, queueName: string, stub: Loose): void {
  if (typeof api !== 'object' || api === null) return;
  const queue: unknown = Reflect.get(api, queueName);
  if (!Array.isArray(queue)) return;
  for (const [name, method] of Object.entries(stub)) Reflect.set(api, name, method);
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
  const prototype = Reflect.getPrototypeOf(api);
  Reflect.setPrototypeOf(api, withAllMethods(prototype ?? {}));
  for (const command of queue.splice(0, 200))
    if (typeof command === 'function') catchErrors(() => void Reflect.apply(command, window, []));
  Reflect.setPrototypeOf(api, prototype);
}

/** A command often starts with calls that declare nothing. One that fails would hide the declarations after it. */
function withAllMethods(prototype: object): object {
  return new Proxy(prototype, {
    get: (own, name) => (Reflect.has(own, name) ? Reflect.get(own, name) : chainable()),
  });
}

/** Runs commands that are queued for an ad library that did not load. The recorder records the slots that they declare. */
function runQueuedCommands(): void {
  const tag: unknown = Reflect.get(window, 'googletag');
  if (field(tag, 'apiReady') !== true) runQueue(tag, 'cmd', stubGpt());
  const pbjs: unknown = Reflect.get(window, 'pbjs');
  if (field(pbjs, 'libLoaded') === true) return;
  runQueue(pbjs, 'que', { addAdUnits: () => undefined });
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
  // Prebid lists the names of its globals.
  const names = new Set(['pbjs', ...arrayOf(Reflect.get(window, '_pbjsGlobals')).map(String)]);
  const known = [...names].flatMap((name) => arrayOf(field(Reflect.get(window, name), 'adUnits')));
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
    records,
    catchErrors,
    field,
    call,
    arrayOf,
    chainable,
    stubGpt,
    runQueue,
    withAllMethods,
    runQueuedCommands,
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
