import type { CdpSession } from './cdp.ts';
import { type NetworkBudget, urlsToFail } from './networkBudget.ts';

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

export interface InterceptOptions {
  readonly networkBudget: NetworkBudget;
  readonly substitutes: readonly SubstituteScript[];
  readonly notes: Set<string>;
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
