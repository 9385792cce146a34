import type { CdpSession } from './cdp.ts';

/** A script that the browser gets instead of the one that the page requests. */
export interface SubstituteScript {
  readonly name: string;
  /** Wildcard patterns of the DevTools protocol, a superset of {@link path}. */
  readonly patterns: readonly string[];
  /** The path of the URLs of the script. */
  readonly path: RegExp;
  /** `always`, or `failed`: only if the script does not load. */
  readonly when: 'always' | 'failed';
  readonly code: string;
  /** For the provenance record. */
  readonly note: string;
}

interface InterceptOptions {
  readonly networkBudget: NetworkBudget;
  readonly substitutes: readonly SubstituteScript[];
  readonly notes: Set<string>;
}

/** How one request of the page ended: an HTTP status, or the network's error. */
type RequestOutcome = { readonly status: number } | { readonly error: string };

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

/** The real time that all passes of a creative may wait for the network, and the requests that did not end in it. */
export interface NetworkBudget {
  /** Real time left for all further passes. */
  leftMs: number;
  /** URLs of the requests that hung. Later passes fail them at once. */
  readonly hung: Map<string, ResourceType>;
}

type ResourceType = string;

/** Each pass may wait this long, even if earlier passes have spent the budget. */
const MIN_PASS_MS = 1_000;

/** A document does not load or paint without these, so failing them would show something that no visitor sees. */
const BLOCKING: readonly ResourceType[] = ['Document', 'Stylesheet', 'Script'];

export function createNetworkBudget(leftMs: number): NetworkBudget {
  return { leftMs, hung: new Map() };
}

export function waitMsOfPass({ leftMs }: NetworkBudget): number {
  return Math.max(leftMs, MIN_PASS_MS);
}

/** @returns the URLs of requests that hung in an earlier pass. They fail at once, so that the clock does not wait for them again. */
function urlsToFail({ hung }: NetworkBudget): string[] {
  return [...hung].filter(([, type]) => !BLOCKING.includes(type)).map(([url]) => url);
}

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

/** Fails requests that hung in an earlier pass, and answers requests for scripts that have a substitute. */
export async function interceptRequests(
  session: CdpSession,
  { networkBudget, substitutes, notes }: InterceptOptions,
): Promise<void> {
  const hung = urlsToFail(networkBudget);
  const failing = new Set(hung);
  session.on('Fetch.requestPaused', ({ requestId, request: { url }, responseStatusCode, responseErrorReason }) => {
    const failed = responseErrorReason !== undefined || (responseStatusCode ?? 0) >= 400;
    const found = substitutes.find(({ path, when }) => path.test(pathOf(url)) && (when === 'always' || failed));
    if (found !== undefined) notes.add(found.note);
    const answer =
      found !== undefined
        ? session.send('Fetch.fulfillRequest', fulfilment(requestId, found.code))
        : failing.has(url)
          ? session.send('Fetch.failRequest', { requestId, errorReason: 'TimedOut' })
          : session.send('Fetch.continueRequest', { requestId });
    // The page may be closed before the answer.
    answer.catch(() => undefined);
  });
  const patterns = [
    ...hung.map((url) => ({ urlPattern: url.replace(/[\\*?]/g, '\\$&') })),
    ...substitutes.flatMap(({ patterns, when }) =>
      patterns.map((urlPattern) => ({
        urlPattern,
        resourceType: 'Script' as const,
        requestStage: when === 'always' ? ('Request' as const) : ('Response' as const),
      })),
    ),
  ];
  if (patterns.length > 0) await session.send('Fetch.enable', { patterns });
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : '';
}

function fulfilment(requestId: string, code: string) {
  const headers = { 'content-type': 'text/javascript; charset=utf-8', 'access-control-allow-origin': '*' };
  return {
    requestId,
    responseCode: 200,
    responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
    body: Buffer.from(code).toString('base64'),
  };
}
