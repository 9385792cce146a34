import type { CdpSession } from './cdp.ts';

/** What a creative's passes share about waiting for the network, so that what hangs is waited for once. */
export interface NetworkBudget {
  /** Real time left for waiting, over all passes. */
  leftMs: number;
  /** Addresses that were not waited for any longer. */
  readonly hung: Map<string, ResourceType>;
}

export type ResourceType = string;

export function createNetworkBudget(leftMs: number): NetworkBudget {
  return { leftMs, hung: new Map() };
}

/** Each pass may wait a little, although others have spent the budget. */
const LEAST_MS = 1_000;

export function waitMsOfPass({ leftMs }: NetworkBudget): number {
  return Math.max(leftMs, LEAST_MS);
}

/** Without them a document does not go on, or is not drawn: failing them would show what nobody sees. */
const BLOCKING: readonly ResourceType[] = ['Document', 'Stylesheet', 'Script'];

/** Fails at once what hung in an earlier pass, so that time need not stop for it again. */
export async function failHungRequests(session: CdpSession, { hung }: NetworkBudget): Promise<void> {
  const urls = [...hung].filter(([, type]) => !BLOCKING.includes(type)).map(([url]) => url);
  if (urls.length === 0) return;
  session.on('Fetch.requestPaused', ({ requestId }) => {
    // The page may be gone before the answer.
    session.send('Fetch.failRequest', { requestId, errorReason: 'TimedOut' }).catch(() => undefined);
  });
  await session.send('Fetch.enable', { patterns: urls.map((url) => ({ urlPattern: url.replace(/[\\*?]/g, '\\$&') })) });
}
