import type { CdpSession } from './cdp.ts';

/** How one request of the page ended: an HTTP status, or the network's error. */
export type RequestOutcome = { readonly status: number } | { readonly error: string };

/** Requests of a page that are still open, and how the others ended. */
export interface PendingRequests {
  /** Open requests, apart from those that were given up. */
  openCount(): number;
  /** Stops counting what is open now. @returns their addresses and types (`Image`, `Script`, …). */
  abandonOpen(): [url: string, type: string][];
  /** Outcome of a request by the address it began with; undefined while it is open or unknown. */
  outcomeOf(url: string): RequestOutcome | undefined;
}

const MAX_OUTCOMES = 2_000;

/** Listens to a session whose Network domain is enabled. */
export function trackRequests(session: CdpSession): PendingRequests {
  const pending = new Map<string, { url: string; type: string }>();
  const outcomes = new Map<string, RequestOutcome>();
  const givenUp = new Set<string>();

  const remember = (url: string, outcome: RequestOutcome) => {
    if (outcomes.size < MAX_OUTCOMES) outcomes.set(url, outcome);
  };
  const end = (requestId: string) => {
    pending.delete(requestId);
    givenUp.delete(requestId);
  };
  session.on('Network.requestWillBeSent', ({ requestId, request, type = 'Other' }) => {
    // A redirect keeps its id; the address it began with is the one that others know.
    if (!/^(data|blob|about):/.test(request.url) && !pending.has(requestId))
      pending.set(requestId, { url: request.url, type });
  });
  session.on('Network.responseReceived', ({ requestId, response }) => {
    const url = pending.get(requestId)?.url;
    if (url !== undefined) remember(url, { status: response.status });
  });
  session.on('Network.loadingFinished', ({ requestId }) => end(requestId));
  session.on('Network.loadingFailed', ({ requestId, errorText, canceled }) => {
    const url = pending.get(requestId)?.url;
    if (url !== undefined && canceled !== true && !outcomes.has(url)) remember(url, { error: errorText });
    end(requestId);
  });
  return {
    openCount: () => pending.size - givenUp.size,
    abandonOpen() {
      const hung = [...pending].filter(([id]) => !givenUp.has(id));
      for (const [id] of hung) givenUp.add(id);
      return hung.map(([, { url, type }]) => [url, type]);
    },
    outcomeOf: (url) => outcomes.get(url),
  };
}
