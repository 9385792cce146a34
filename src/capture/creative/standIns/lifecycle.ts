/**
 * The events of an ad library as its creatives expect them: each state is reached once, in order. A listener that comes later is
 * called at once, because some creatives never ask for the state. The function runs in the page and uses only the browser's globals.
 */
export interface Lifecycle {
  has(state: string): boolean;
  on(type: string, listener: unknown): void;
  off(type: string, listener: unknown): void;
  fire(type: string, ...values: unknown[]): void;
}

/**
 * @param parsed states that are reached when the document is parsed. @param loaded states that are reached when it has loaded.
 * @param valuesOf the arguments of the listeners of a state.
 */
export function lifecycle(
  parsed: readonly string[],
  loaded: readonly string[],
  valuesOf: (state: string) => unknown[],
): Lifecycle {
  const listeners = new Map<string, Set<unknown>>();
  const reached = new Set<string>();
  const call = (listener: unknown, values: unknown[]) => {
    try {
      if (typeof listener === 'function') listener(...values);
    } catch (error) {
      console.error(error);
    }
  };
  const fire = (type: string, ...values: unknown[]) => {
    for (const listener of [...(listeners.get(type) ?? [])]) call(listener, values);
  };
  const reach = (states: readonly string[]) => {
    for (const state of states) {
      reached.add(state);
      fire(state, ...valuesOf(state));
    }
  };
  const on = (type: string, listener: unknown) => {
    listeners.set(type, (listeners.get(type) ?? new Set()).add(listener));
    if (reached.has(type)) setTimeout(() => call(listener, valuesOf(type)), 0);
  };
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => reach(parsed));
  else setTimeout(() => reach(parsed), 0);
  if (document.readyState === 'complete') setTimeout(() => reach(loaded), 0);
  else window.addEventListener('load', () => reach(loaded));
  return { has: (state) => reached.has(state), on, off: (type, one) => listeners.get(type)?.delete(one), fire };
}

/** @returns the object with a function that does nothing for each name that it does not have. */
export function withNoOps(known: Record<string, unknown>): object {
  return new Proxy(known, { get: (target, name) => (name in target ? Reflect.get(target, name) : () => undefined) });
}
