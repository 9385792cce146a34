/** The real time that all passes of a creative may wait for the network, and the requests that did not end in it. */
export interface NetworkBudget {
  /** Real time left for all further passes. */
  leftMs: number;
  /** URLs of the requests that hung. Later passes fail them at once. */
  readonly hung: Map<string, ResourceType>;
}

export type ResourceType = string;

export function createNetworkBudget(leftMs: number): NetworkBudget {
  return { leftMs, hung: new Map() };
}

/** Each pass may wait this long, even if earlier passes have spent the budget. */
const MIN_PASS_MS = 1_000;

export function waitMsOfPass({ leftMs }: NetworkBudget): number {
  return Math.max(leftMs, MIN_PASS_MS);
}

/** A document does not load or paint without these, so failing them would show something that no visitor sees. */
const BLOCKING: readonly ResourceType[] = ['Document', 'Stylesheet', 'Script'];

/** @returns the URLs of requests that hung in an earlier pass. They fail at once, so that the clock does not wait for them again. */
export function urlsToFail({ hung }: NetworkBudget): string[] {
  return [...hung].filter(([, type]) => !BLOCKING.includes(type)).map(([url]) => url);
}
