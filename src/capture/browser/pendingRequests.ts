import type { CdpSession } from './cdp.ts';

/** How one request of the page ended: an HTTP status, or the network's error. */
export type RequestOutcome = { readonly status: number } | { readonly error: string };

/** A request that did not bring what it asked for. */
export interface FailedRequest {
  readonly url: string;
  /** `Image`, `Script`, `Font`, … */
  readonly type: string;
  readonly outcome: RequestOutcome;
}

/** The open requests of a page, and the outcomes of the others. */
export interface PendingRequests {
  /** The number of open requests, without the abandoned ones. */
  openCount(): number;
  /** Stops counting the requests that are open now. @returns their URLs and types (`Image`, `Script`, …). */
  abandonOpen(): [url: string, type: string][];
  /** @returns the outcome of the request that started with this URL; undefined while it is open or unknown. */
  outcomeOf(url: string): RequestOutcome | undefined;
  /** @returns the requests that ended with an HTTP status of 400 or more, or with an error of the network. */
  failures(): readonly FailedRequest[];
}

const MAX_OUTCOMES = 2_000;

/** Listens to a session whose Network domain is enabled. */
export function trackRequests(session: CdpSession): PendingRequests {
  const pending = new Map<string, { url: string; type: string }>();
  const outcomes = new Map<string, RequestOutcome>();
  const failures: FailedRequest[] = [];
  const abandoned = new Set<string>();

  const remember = ({ url, type }: { url: string; type: string }, outcome: RequestOutcome) => {
    if (outcomes.size < MAX_OUTCOMES) outcomes.set(url, outcome);
    const failed = 'error' in outcome || outcome.status >= 400;
    if (failed && failures.length < MAX_OUTCOMES) failures.push({ url, type, outcome });
  };
  const end = (requestId: string) => {
    pending.delete(requestId);
    abandoned.delete(requestId);
  };
  session.on('Network.requestWillBeSent', ({ requestId, request, type = 'Other' }) => {
    // A redirect keeps the id of the request. Callers know the URL before the redirect.
    if (!/^(data|blob|about):/.test(request.url) && !pending.has(requestId))
      pending.set(requestId, { url: request.url, type });
  });
  session.on('Network.responseReceived', ({ requestId, response }) => {
    const request = pending.get(requestId);
    if (request !== undefined) remember(request, { status: response.status });
  });
  session.on('Network.loadingFinished', ({ requestId }) => end(requestId));
  session.on('Network.loadingFailed', ({ requestId, errorText, canceled }) => {
    const request = pending.get(requestId);
    if (request !== undefined && canceled !== true && !outcomes.has(request.url))
      remember(request, { error: errorText });
    end(requestId);
  });
  return {
    openCount: () => pending.size - abandoned.size,
    abandonOpen() {
      const hung = [...pending].filter(([id]) => !abandoned.has(id));
      for (const [id] of hung) abandoned.add(id);
      return hung.map(([, { url, type }]) => [url, type]);
    },
    outcomeOf: (url) => outcomes.get(url),
    failures: () => failures,
  };
}
