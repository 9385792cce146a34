/** Runs the commands that wait for an ad library which never came; the recorder hears what they declare. */
import { FOREIGN_OBJECTS } from './foreignObjects.ts';
import { RECORDS } from './recorder.ts';
import type { PagePart } from './script.ts';

declare const field: typeof FOREIGN_OBJECTS.field;
declare const guarded: typeof RECORDS.guarded;

type Loose = Record<string, unknown>;

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

export const WAITING_COMMANDS = {
  ...RECORDS,
  ...FOREIGN_OBJECTS,
  chainable,
  standInGpt,
  runWaiting,
  runWhatWaits,
} satisfies PagePart;
