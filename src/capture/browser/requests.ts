import { CdpError, type CdpSession, TargetGoneError } from './cdp.ts';

/** A script that the browser gets instead of the one that the page requests. */
export interface SubstituteScript {
  /** A wildcard pattern of the DevTools protocol, a superset of {@link path}. */
  readonly pattern: string;
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

/** A request that did not get its resource. */
export interface FailedRequest {
  readonly url: string;
  /** `Image`, `Script`, `Font`, … */
  readonly type: string;
  readonly outcome: RequestOutcome;
}

const MAX_OUTCOMES = 2_000;

/** The real time that all passes of a creative may wait for the network, and the requests that did not end in it. */
export interface NetworkBudget {
  /** Real time left for all further passes. */
  leftMs: number;
  /** URLs of the requests that hung, with their types. Later passes fail them at once, so that the clock does not wait for them again. */
  readonly hung: Map<string, string>;
}

/** A document does not load or paint without these, so failing them would show something that no visitor sees. */
const BLOCKING: readonly string[] = ['Document', 'Stylesheet', 'Script'];

/** The open requests of a page, and the outcomes of the others. */
export class PageRequests {
  readonly #open = new Map<string, { readonly url: string; readonly type: string }>();
  readonly #abandoned = new Set<string>();
  readonly #outcomes = new Map<string, RequestOutcome>();
  /** The requests that ended with an HTTP status of 400 or more, or with an error of the network. */
  readonly failures: FailedRequest[] = [];
  /** The requests that returned an image, by URL. */
  readonly #images = new Map<string, { readonly requestId: string; sentBytes: number }>();
  readonly #session: CdpSession;

  /** @param session its Network domain must be enabled. */
  constructor(session: CdpSession) {
    this.#session = session;
    session.on('Network.requestWillBeSent', ({ requestId, request, type = 'Other' }) => {
      // A redirect keeps the id of the request. Callers know the URL before the redirect.
      if (!/^(data|blob|about):/.test(request.url) && !this.#open.has(requestId))
        this.#open.set(requestId, { url: request.url, type });
    });
    session.on('Network.responseReceived', ({ requestId, response: { status } }) =>
      this.#remember(requestId, { status }),
    );
    session.on('Network.dataReceived', ({ requestId, dataLength }) => {
      const image = this.#images.get(this.#open.get(requestId)?.url ?? '');
      if (image?.requestId === requestId) image.sentBytes += dataLength;
    });
    session.on('Network.loadingFinished', ({ requestId }) => this.#end(requestId));
    session.on('Network.loadingFailed', ({ requestId, errorText, canceled }) => {
      const isKnown = this.#outcomes.has(this.#open.get(requestId)?.url ?? '');
      if (canceled !== true && !isKnown) this.#remember(requestId, { error: errorText });
      this.#end(requestId);
    });
  }

  /** The number of open requests, without the abandoned ones. */
  get openCount(): number {
    return this.#open.size - this.#abandoned.size;
  }

  /** Stops counting the requests that are open now. @returns their URLs and types (`Image`, `Script`, …). */
  abandonOpen(): [url: string, type: string][] {
    const hung = [...this.#open].filter(([id]) => !this.#abandoned.has(id));
    for (const [id] of hung) this.#abandoned.add(id);
    return hung.map(([, { url, type }]) => [url, type]);
  }

  /** @returns the outcome of the request that started with this URL; undefined while it is open or unknown. */
  outcomeOf(url: string): RequestOutcome | undefined {
    return this.#outcomes.get(url);
  }

  /** @returns the URLs of the images that the server sent. A server that answers 204 sends none. */
  imageUrls(): string[] {
    return [...this.#images.keys()];
  }

  /**
   * @returns the bytes of an image, which the browser drops if it cannot decode them, and how many the server sent; undefined if
   * the browser no longer has them.
   */
  async imageBytes(url: string): Promise<{ bytes: Buffer; sentBytes: number } | undefined> {
    const image = this.#images.get(url);
    if (image === undefined) return undefined;
    const { requestId, sentBytes } = image;
    try {
      const { body, base64Encoded } = await this.#session.send('Network.getResponseBody', { requestId });
      return { bytes: Buffer.from(body, base64Encoded ? 'base64' : 'utf8'), sentBytes };
    } catch (error) {
      if (error instanceof CdpError && !(error instanceof TargetGoneError)) return undefined;
      throw error;
    }
  }

  #remember(requestId: string, outcome: RequestOutcome): void {
    const request = this.#open.get(requestId);
    if (request === undefined) return;
    if (this.#outcomes.size < MAX_OUTCOMES) this.#outcomes.set(request.url, outcome);
    const failed = 'error' in outcome || outcome.status >= 400;
    const isImage = request.type === 'Image' && 'status' in outcome && outcome.status !== 204 && !failed;
    if (isImage && this.#images.size < MAX_OUTCOMES) this.#images.set(request.url, { requestId, sentBytes: 0 });
    if (failed && this.failures.length < MAX_OUTCOMES) this.failures.push({ ...request, outcome });
  }

  #end(requestId: string): void {
    this.#open.delete(requestId);
    this.#abandoned.delete(requestId);
  }
}

/** Fails requests that hung in an earlier pass, and answers requests for scripts that have a substitute. */
export async function interceptRequests(
  session: CdpSession,
  { networkBudget, substitutes, notes }: InterceptOptions,
): Promise<void> {
  const hung = [...networkBudget.hung].filter(([, type]) => !BLOCKING.includes(type)).map(([url]) => url);
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
    ...substitutes.map(({ pattern, when }) => ({
      urlPattern: pattern,
      resourceType: 'Script' as const,
      requestStage: when === 'always' ? ('Request' as const) : ('Response' as const),
    })),
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
