/** Reads objects of the page's scripts, which may have any shape. */
import type { PagePart } from './script.ts';

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

export const PAGE_OBJECTS = { field, call, arrayOf } satisfies PagePart;
