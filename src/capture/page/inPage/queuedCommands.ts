/** Runs commands that are queued for an ad library that did not load. The recorder records the slots that they declare. */

import { RECORDS } from './declarationRecorder.ts';
import { PAGE_OBJECTS } from './pageObjects.ts';
import type { PagePart } from './script.ts';

declare const field: typeof PAGE_OBJECTS.field;
declare const catchErrors: typeof RECORDS.catchErrors;

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

function runQueuedCommands(): void {
  const tag: unknown = Reflect.get(window, 'googletag');
  if (field(tag, 'apiReady') !== true) runQueue(tag, 'cmd', stubGpt());
  const pbjs: unknown = Reflect.get(window, 'pbjs');
  if (field(pbjs, 'libLoaded') === true) return;
  runQueue(pbjs, 'que', { addAdUnits: () => undefined });
}

export const QUEUED_COMMANDS = {
  ...RECORDS,
  ...PAGE_OBJECTS,
  chainable,
  stubGpt,
  runQueue,
  withAllMethods,
  runQueuedCommands,
} satisfies PagePart;
