/** Records which ad slots the scripts of a frame declare. It runs before the scripts of the frame. */
import { expressionOf, type PagePart } from './script.ts';

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

function startRecording(): void {
  records();
  interceptProperty(window, 'googletag', watchGoogletag);
  interceptProperty(window, 'pbjs', watchPrebid);
  // No person answers these dialogs, so a loop of them would block the page forever.
  for (const name of ['alert', 'print']) Reflect.set(window, name, () => undefined);
  Reflect.set(window, 'confirm', () => false);
  Reflect.set(window, 'prompt', () => null);
}

export const RECORDS = { records, catchErrors } satisfies PagePart;

/** Run this in every frame before its own scripts. */
export const RECORD_DECLARATIONS = expressionOf(
  { ...RECORDS, interceptProperty, watchMethod, recordGptSlot, watchGoogletag, watchPrebid, startRecording },
  'startRecording()',
);
