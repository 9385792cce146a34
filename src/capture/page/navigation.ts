import { LOCATION_UNAVAILABLE } from '../../domain/locations.ts';
import type { ScreenshotFailure } from '../../domain/states.ts';
import type { EgressFailure } from '../../egress/errors.ts';
import { DeadlineError } from '../../lib/deadline.ts';
import { errorMessage, shortErrorMessage } from '../../lib/errorMessage.ts';
import type { Log } from '../../lib/log.ts';
import { sleep } from '../../lib/sleep.ts';
import { CdpError, CdpTimeoutError, TargetGoneError } from '../browser/cdp.ts';
import { DocumentReplacedError, PageScriptError } from '../browser/frame.ts';
import type { Tab } from '../browser/tab.ts';
import type { TimeBudget } from './settle.ts';

interface GoToOptions {
  readonly budget: TimeBudget;
  readonly log?: Log | undefined;
  /** Wait before the next try, in milliseconds. */
  readonly pauseMs?: number;
}

/** Interfaces of several pods may appear and disappear within moments. */
const TRIES = 6;
const PAUSE_MS = 500;

export interface SiteFailure {
  readonly status: ScreenshotFailure;
  /** A sentence for the user. */
  readonly reason: string;
}

/** The response of the server, or of the proxy instead of it. `text` is the beginning of the document. */
export interface SiteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Bot-protection products, and patterns that identify them in headers or at the beginning of the document. */
const CHALLENGES: readonly [name: string, mark: RegExp][] = [
  [
    'Cloudflare',
    /cf-mitigated: ?challenge|cf-chl-|challenge-platform|<title>\s*just a moment|attention required! \| cloudflare/i,
  ],
  ['DataDome', /x-datadome|captcha-delivery\.com|geo\.captcha/i],
  ['Akamai', /errors\.edgesuite\.net|akamai-?ghost[\s\S]*access denied|_abck=[\s\S]*sec-if-cpt/i],
  ['PerimeterX', /px-captcha|_pxAppId|perimeterx/i],
  ['Imperva', /_incapsula_resource|x-iinfo[\s\S]*incident/i],
  ['AWS WAF', /x-amzn-waf-action|awswafcookiedomainlist/i],
  ['Kasada', /x-kpsdk-|ips\.js\?KP_UIDz/i],
  [
    'a captcha',
    /g-recaptcha|h-captcha|hcaptcha\.com\/1\/api|are you (a )?(human|robot)|verify (that )?you are (a )?human/i,
  ],
];

const REASONS: readonly [RegExp, string][] = [
  [/CERT|SSL|TLS/, 'The site has no valid TLS certificate'],
  [/REFUSED/, 'The site refused the connection'],
  [/RESET|CLOSED|EMPTY_RESPONSE|ABORTED_BY|SOCKET/, 'The site closed the connection'],
  [/TOO_MANY_REDIRECTS/, 'The site redirects endlessly'],
  [/^ERR_ABORTED$/, 'The site returned a download or an empty response instead of a page'],
  [/INVALID_URL|UNKNOWN_URL_SCHEME|UNSAFE_PORT/, 'The address is not that of a web page'],
  [
    /^ERR_NETWORK_CHANGED$/,
    'The network of the capture changed while it opened the site. Take the picture again later',
  ],
  [/PROXY/, 'The outgoing proxy of the capture is down'],
];

/** @returns the name of the product that shows a challenge, or undefined. */
function challengeOf({ headers, text }: SiteResponse): string | undefined {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
  const all = lines.join('') + text;
  return CHALLENGES.find(([, mark]) => mark.test(all))?.[0];
}

/** @returns why a page with this response cannot show ads, or undefined if it can. */
export function failureOfResponse(answer: SiteResponse): SiteFailure | undefined {
  const proxied = answer.headers['x-tearsheet-egress'];
  if (proxied !== undefined) return failureOfEgress(proxied, answer.text.trim());
  const { status } = answer;
  if (status === 404 || status === 410) return { status: 'not_found', reason: `The site answered ${status}.` };
  const challenge = status >= 400 ? challengeOf(answer) : undefined;
  if (challenge !== undefined)
    return { status: 'blocked', reason: `The site answered ${status} with a challenge (${challenge}).` };
  if (status === 401 || status === 403 || status === 429)
    return { status: 'blocked', reason: `The site refused the visit with status ${status}.` };
  if (status >= 400) return { status: 'generic_error', reason: `The site answered ${status}.` };
  return undefined;
}

/** Recognizes a challenge that the site sends with status 200: little text, and a pattern of a product. */
export function challengeOfPage(answer: SiteResponse, words: number): SiteFailure | undefined {
  const challenge = words < 120 ? challengeOf(answer) : undefined;
  // The forms of many short pages contain a captcha too.
  if (challenge === undefined || challenge === 'a captcha') return undefined;
  return { status: 'blocked', reason: `The site shows a challenge (${challenge}) instead of its page.` };
}

/** @param kind the failure kind in the proxy's response header. */
function failureOfEgress(kind: string, reason: string): SiteFailure {
  switch (kind) {
    case 'location':
      return { status: 'generic_error', reason: `${LOCATION_UNAVAILABLE}: ${reason}` };
    case 'refused':
      return { status: 'generic_error', reason: `refused by the egress guard: ${reason}` };
    case 'not-found':
      return { status: 'not_found', reason };
    case 'timeout':
      return { status: 'net_read_timeout', reason };
    default:
      return { status: 'generic_error', reason: `The site could not be reached: ${reason}` };
  }
}

/** @param failures connections that the proxy did not make, because the browser gets no reason for a failed HTTPS tunnel. */
export function failureOfNavigation(error: unknown, site: string, failures: readonly EgressFailure[]): SiteFailure {
  const message = errorMessage(error);
  const code = /net::(ERR_[A-Z0-9_]+)/.exec(message)?.[1];
  if (isTimeout(error)) return { status: 'net_read_timeout', reason: 'The site did not answer in time.' };
  if (code === 'ERR_TUNNEL_CONNECTION_FAILED') return tunnelFailure(site, failures);
  if (code === undefined)
    return { status: 'generic_error', reason: `The site could not be opened: ${pageFault(error)}.` };
  return failureOfCode(code);
}

/** Whether nothing listens for https there, or it has no valid TLS. */
export function refusesHttps(error: unknown, site: string, failures: readonly EgressFailure[]): boolean {
  const code = /net::(ERR_[A-Z0-9_]+)/.exec(errorMessage(error))?.[1] ?? '';
  if (code !== 'ERR_TUNNEL_CONNECTION_FAILED') return /CONNECTION_REFUSED|CERT|SSL|TLS/.test(code);
  const host = URL.parse(site)?.hostname;
  return failures.findLast((one) => one.host === host)?.kind === 'unreachable';
}

function tunnelFailure(site: string, failures: readonly EgressFailure[]): SiteFailure {
  const host = URL.parse(site)?.hostname;
  const failure = failures.findLast((one) => one.host === host) ?? failures.at(-1);
  if (failure !== undefined) return failureOfEgress(failure.kind, failure.reason);
  return failureOfEgress('refused', `no connection to ${host ?? site} was made.`);
}

function failureOfCode(code: string): SiteFailure {
  if (code === 'ERR_NAME_NOT_RESOLVED') return { status: 'not_found', reason: 'No host with that name exists.' };
  if (/TIMED_OUT/.test(code)) return { status: 'net_read_timeout', reason: 'The site did not answer in time.' };
  const reason = REASONS.find(([mark]) => mark.test(code))?.[1] ?? 'The site could not be opened';
  return { status: 'generic_error', reason: `${reason} (${code}).` };
}

/**
 * Chromium ends all its requests when a network interface of its host appears or disappears, or gets another address.
 * The site has no part in this, so a second try usually succeeds.
 */
function isNetworkChange(error: unknown): boolean {
  return /net::ERR_NETWORK_CHANGED\b/.test(errorMessage(error));
}

/**
 * Navigates until the response begins. Tries again if the network of this machine changed, because the site has no part in that.
 * @throws the error of the last try.
 */
export async function goTo(tab: Pick<Tab, 'navigate'>, site: string, options: GoToOptions): Promise<void> {
  const { budget, log, pauseMs = PAUSE_MS } = options;
  for (let tries = 1; ; tries += 1) {
    try {
      return await tab.navigate(site, Math.max(1, budget.left()));
    } catch (error) {
      if (!isNetworkChange(error) || tries === TRIES || budget.left() <= pauseMs) throw error;
      log?.warn({ url: site, tries }, 'The network of this machine changed, so the capture opens the page again.');
      await sleep(pauseMs);
    }
  }
}

type Headers = Readonly<Record<string, string>>;

/** Follows the main document of a page, because a refresh of the page or a script may replace it at any time. */
export class MainDocument {
  readonly #tab: Tab;
  /** Requests for a document of the main frame that have no response yet. */
  readonly #asked = new Set<string>();
  /** The headers of responses as the server sent them, by request. Chromium removes some of them from the response itself. */
  readonly #raw = new Map<string, Headers>();
  #response: { readonly id: string; readonly status: number; readonly headers: Headers } | undefined;
  /** Why the newest navigation failed, as Chromium names it: `net::ERR_CONNECTION_REFUSED`. */
  failure: string | undefined;

  constructor(tab: Tab) {
    this.#tab = tab;
    const { session, mainFrame } = tab;
    session.on('Network.requestWillBeSent', ({ requestId, frameId, type }) => {
      if (type === 'Document' && frameId === mainFrame.id) this.#asked.add(requestId);
    });
    session.on('Network.responseReceivedExtraInfo', ({ requestId, headers }) => {
      // This event may come before or after that of the response.
      if (this.#asked.has(requestId) || this.#response?.id === requestId) this.#raw.set(requestId, headers);
    });
    session.on('Network.responseReceived', ({ requestId, response: { status, headers } }) => {
      if (!this.#asked.delete(requestId)) return;
      this.#response = { id: requestId, status, headers };
      this.failure = undefined;
    });
    session.on('Network.loadingFailed', ({ requestId, errorText }) => {
      if (this.#asked.delete(requestId)) this.failure = errorText;
    });
  }

  /** The newest response to a navigation; undefined if the document came without one. Names of headers are lower case. */
  get response(): Omit<SiteResponse, 'text'> | undefined {
    if (this.#response === undefined) return undefined;
    const { id, status, headers } = this.#response;
    const all = Object.entries({ ...headers, ...this.#raw.get(id) });
    return { status, headers: Object.fromEntries(all.map(([name, value]) => [name.toLowerCase(), value])) };
  }

  /** The number of documents so far. */
  get count(): number {
    return this.#tab.documents;
  }

  /** @returns the time until the document refreshes itself; infinite if it does not. */
  async secondsToRefresh(): Promise<number> {
    const content = await this.#tab.mainFrame.evaluate(
      () => document.querySelector('meta[http-equiv="refresh" i]')?.getAttribute('content') ?? '',
    );
    const [, seconds] = /^\s*(\d+(?:\.\d+)?)\s*[;,]\s*url/i.exec(content) ?? [];
    return seconds === undefined ? Number.POSITIVE_INFINITY : Number(seconds);
  }

  /** @returns whether another document arrives within this time. */
  isReplaced(ms: number): Promise<boolean> {
    const { count } = this;
    return this.#tab.until(() => this.count > count, ms);
  }

  /** Whether Chromium shows its own page in the place of the site. */
  get isError(): boolean {
    return this.#tab.url().startsWith('chrome-error:');
  }
}

/** Whether the call failed because another document replaced the one that it was about. */
export function isDocumentReplaced(error: unknown): boolean {
  if (error instanceof DocumentReplacedError) return true;
  return (
    error instanceof CdpError &&
    !(error instanceof TargetGoneError) &&
    /context (was destroyed|with specified id)|navigated or closed|object with given id/i.test(error.message)
  );
}

/** @returns why the work on a page failed, in words for the client, without a full stop. */
export function pageFault(error: unknown): string {
  if (isTimeout(error)) return 'the page did not answer in time';
  const detail = shortErrorMessage(error).replace(/\.$/, '');
  if (error instanceof PageScriptError) return `a script of the page disturbed the capture (${detail})`;
  if (error instanceof CdpError) return `the browser reported an error for the page (${detail})`;
  // Errors of the language have no text for clients.
  const isUnexpected = error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  return isUnexpected ? `an unexpected error occurred (${detail})` : detail;
}

/** Whether a part of the browser did not answer in time, perhaps because it was busy with another page. */
export function isTimeout(error: unknown): boolean {
  return error instanceof DeadlineError || error instanceof CdpTimeoutError;
}
