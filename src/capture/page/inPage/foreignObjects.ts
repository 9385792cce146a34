/** Reads objects of the page's own scripts, which may be of any shape. */
import type { PagePart } from './script.ts';

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

export const FOREIGN_OBJECTS = { field, call, listed } satisfies PagePart;
