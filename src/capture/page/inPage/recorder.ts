/**
 * Records which ad slots the scripts of a frame declare. Runs in the world of these scripts, before them, because only there their
 * calls and objects can be seen. They may replace every global and every method, so this code calls only what it keeps here.
 */
import { COLLECT_SLOTS, type SlotRecords } from './declarations.ts';

const { apply, defineProperty, get, getPrototypeOf, has, ownKeys, set, setPrototypeOf } = Reflect;
const { isArray } = Array;
const NativeProxy = Proxy;
const { iterator, toPrimitive } = Symbol;
const { slice } = String.prototype;
const { splice } = Array.prototype;

const MAX_RECORDS = 500;
const MAX_COMMANDS = 200;
const MAX_TEXT = 300;
const MAX_ITEMS = 500;
const MAX_DEPTH = 8;
const MAX_VALUES = 50_000;

type Loose = Record<string, unknown>;

const recorded: Pick<SlotRecords, 'gpt' | 'overPage' | 'prebid'> = { gpt: [], overPage: [], prebid: [] };

/** Defines an element, because a page may give arrays a setter for an index. */
function append(list: unknown[], value: unknown): void {
  if (list.length < MAX_RECORDS)
    defineProperty(
      list,
      list.length,
      withoutPrototype({ value, writable: true, enumerable: true, configurable: true }),
    );
}

/** An object to which no script can add a property. */
function withoutPrototype<T extends object>(fields: T): T {
  setPrototypeOf(fields, null);
  return fields;
}

/** The page's objects may throw, and its own calls must not fail because of this code. */
function ignoreErrors(work: () => void): void {
  try {
    work();
  } catch {
    // It declares nothing then.
  }
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** @returns undefined if there is no such property. */
function field(value: unknown, name: PropertyKey): unknown {
  return isObject(value) ? get(value, name) : undefined;
}

function call(value: unknown, name: string, ...args: unknown[]): unknown {
  const method = field(value, name);
  return typeof method === 'function' ? apply(method, value, args) : undefined;
}

function eachOf(list: unknown, visit: (item: unknown) => void): void {
  if (isArray(list)) for (let at = 0; at < list.length && at < MAX_ITEMS; at++) visit(list[at]);
}

/** Passes each value that is assigned to the property through `seen`, and stores the result of `seen` instead. */
function interceptProperty(owner: object, name: string, seen: (value: unknown) => unknown): void {
  ignoreErrors(() => {
    let value = seen(get(owner, name));
    const accessors = {
      configurable: true,
      enumerable: true,
      get: () => value,
      set: (next: unknown) => {
        value = seen(next);
      },
    };
    defineProperty(owner, name, withoutPrototype(accessors));
  });
}

function watchMethod(owner: object, name: string, called: (args: unknown[], result: unknown) => void): void {
  interceptProperty(owner, name, (method) => {
    if (typeof method !== 'function') return method;
    return function watched(this: unknown, ...args: unknown[]) {
      const result: unknown = apply(method, this, args);
      ignoreErrors(() => called(args, result));
      return result;
    };
  });
}

function recordGptSlot(args: unknown[], slot: unknown): void {
  const { 0: path, 1: sizes, 2: id } = args;
  const name = typeof id === 'string' && id !== '' ? id : path;
  const record: Loose = withoutPrototype({ id: name, sizes, mapping: null, outOfPage: false });
  append(recorded.gpt, record);
  const define = field(slot, 'defineSizeMapping');
  if (!isObject(slot) || typeof define !== 'function') return;
  set(slot, 'defineSizeMapping', (mapping: unknown) => {
    record['mapping'] = mapping;
    return apply(define, slot, [mapping]);
  });
}

function watchGoogletag(tag: unknown): unknown {
  if (!isObject(tag)) return tag;
  watchMethod(tag, 'defineSlot', recordGptSlot);
  watchMethod(tag, 'defineOutOfPageSlot', ({ 1: place }) => {
    append(recorded.overPage, place);
    if (typeof place === 'string')
      append(recorded.gpt, withoutPrototype({ id: place, sizes: [], mapping: null, outOfPage: true }));
  });
  return tag;
}

function watchPrebid(pbjs: unknown): unknown {
  if (!isObject(pbjs)) return pbjs;
  watchMethod(pbjs, 'addAdUnits', ({ 0: units }) => {
    eachOf(isArray(units) ? units : [units], (unit) => append(recorded.prebid, unit));
  });
  return pbjs;
}

/** Amazon's bidder gets its slots beside or without those of Prebid. */
function watchApstag(tag: unknown): unknown {
  if (!isObject(tag)) return tag;
  watchMethod(tag, 'fetchBids', ({ 0: request }) => {
    const slots = field(request, 'slots');
    eachOf(isArray(slots) ? slots : [slots], (slot) => append(recorded.prebid, unitOf(slot, 'slotID')));
  });
  return tag;
}

/** A stub of a library that did not load, so that the commands queued for it can run. */
function chainable(): unknown {
  const proxy: unknown = new NativeProxy(() => undefined, {
    get: (_target, name) => {
      if (name === toPrimitive) return () => '';
      if (name === 'then' || name === iterator) return undefined;
      return proxy;
    },
    set: () => true,
    apply: () => proxy,
  });
  return proxy;
}

/** The recorder intercepts these methods by name. */
function stubGpt(tag: object): void {
  set(tag, 'enums', { OutOfPageFormat: { BOTTOM_ANCHOR: 'BOTTOM_ANCHOR', INTERSTITIAL: 'INTERSTITIAL' } });
  set(tag, 'defineSlot', () => {
    const slot: unknown = new NativeProxy({}, { get: (own, name) => (has(own, name) ? get(own, name) : () => slot) });
    return slot;
  });
  set(tag, 'sizeMapping', () => {
    const rows: unknown[] = [];
    const builder = {
      addSize: (...row: unknown[]) => {
        append(rows, row);
        return builder;
      },
      build: () => rows,
    };
    return builder;
  });
}

const STUBBED = [
  'pubads',
  'enableServices',
  'display',
  'setConfig',
  'companionAds',
  'defineOutOfPageSlot',
  'requestBids',
  'setTargetingForGPTAsync',
];

function runQueue(api: unknown, queueName: string, stub: (api: object) => void): void {
  const queue = field(api, queueName);
  if (!isObject(api) || !isArray(queue)) return;
  stub(api);
  for (let at = 0; at < STUBBED.length; at++) {
    const name = STUBBED[at] ?? '';
    if (get(api, name) === undefined) set(api, name, chainable());
  }
  const prototype = getPrototypeOf(api);
  setPrototypeOf(api, withAllMethods(prototype ?? {}));
  eachOf(apply(splice, queue, [0, MAX_COMMANDS]), (command) => {
    if (typeof command === 'function') ignoreErrors(() => void apply(command, window, []));
  });
  setPrototypeOf(api, prototype);
}

/** A command often starts with calls that declare nothing. One that fails would hide the declarations after it. */
function withAllMethods(prototype: object): object {
  return new NativeProxy(prototype, {
    get: (own, name) => (has(own, name) ? get(own, name) : chainable()),
  });
}

/** Runs commands that are queued for an ad library that did not load. The recorder records the slots that they declare. */
function runQueuedCommands(): void {
  const tag: unknown = get(window, 'googletag');
  if (field(tag, 'apiReady') !== true) runQueue(tag, 'cmd', stubGpt);
  const pbjs: unknown = get(window, 'pbjs');
  if (field(pbjs, 'libLoaded') === true) return;
  runQueue(pbjs, 'que', (api) => void set(api, 'addAdUnits', () => undefined));
}

function knownGptSlots(tag: unknown): unknown[] {
  const found: unknown[] = [];
  if (field(tag, 'apiReady') !== true) return found;
  ignoreErrors(() => {
    eachOf(call(call(tag, 'pubads'), 'getSlots'), (slot) => {
      const sizes: unknown[] = [];
      eachOf(call(slot, 'getSizes', innerWidth, innerHeight), (size) =>
        append(sizes, typeof size === 'string' ? size : [call(size, 'getWidth'), call(size, 'getHeight')]),
      );
      const outOfPage = call(slot, 'getOutOfPage') === true;
      append(found, withoutPrototype({ id: call(slot, 'getSlotElementId'), sizes, mapping: null, outOfPage }));
    });
  });
  return found;
}

/** The fields of a unit that say something about its slot. Others may be large. */
function unitOf(unit: unknown, code: string): object {
  return withoutPrototype({
    code: field(unit, code),
    sizes: field(unit, 'sizes'),
    mediaType: field(unit, 'mediaType'),
    mediaTypes: field(unit, 'mediaTypes'),
  });
}

/** The units that the recorder saw, and those that Prebid knows. It lists the names of its globals. */
function prebidUnits(): unknown[] {
  const units: unknown[] = [];
  const addFrom = (name: unknown) => {
    if (typeof name === 'string')
      ignoreErrors(() => eachOf(field(get(window, name), 'adUnits'), (unit) => append(units, unitOf(unit, 'code'))));
  };
  eachOf(recorded.prebid, (unit) => append(units, unitOf(unit, 'code')));
  addFrom('pbjs');
  eachOf(get(window, '_pbjsGlobals'), (name) => {
    if (name !== 'pbjs') addFrom(name);
  });
  return units;
}

/** A copy that holds only data, of a limited size. */
function plainCopy(value: unknown): unknown {
  let left = MAX_VALUES;
  const copyOf = (one: unknown, depth: number): unknown => {
    left -= 1;
    if (typeof one === 'string') return apply(slice, one, [0, MAX_TEXT]);
    if (typeof one === 'number' || typeof one === 'boolean') return one;
    if (typeof one !== 'object' || one === null || depth > MAX_DEPTH || left <= 0) return null;
    const items: unknown[] = [];
    if (isArray(one)) {
      eachOf(one, (item) => append(items, copyOf(item, depth + 1)));
      return items;
    }
    const copy: Loose = withoutPrototype({});
    eachOf(ownKeys(one), (key) => {
      if (typeof key === 'string') ignoreErrors(() => void set(copy, key, copyOf(get(one, key), depth + 1)));
    });
    return copy;
  };
  return copyOf(value, 0);
}

function collect(): unknown {
  ignoreErrors(runQueuedCommands);
  const tag: unknown = get(window, 'googletag');
  const { gpt, overPage } = recorded;
  const records: SlotRecords = { gpt, overPage, known: knownGptSlots(tag), prebid: prebidUnits(), collapse: null };
  ignoreErrors(() => {
    records.collapse = call(tag, 'getConfig', 'collapseDiv');
  });
  return plainCopy(records);
}

// The page can call it, but not replace it.
defineProperty(window, COLLECT_SLOTS, withoutPrototype({ value: collect }));
interceptProperty(window, 'googletag', watchGoogletag);
interceptProperty(window, 'pbjs', watchPrebid);
interceptProperty(window, 'apstag', watchApstag);
// No person answers these dialogs, so a loop of them would block the page forever.
set(window, 'alert', () => undefined);
set(window, 'print', () => undefined);
set(window, 'confirm', () => false);
set(window, 'prompt', () => null);
