/** Live progress as server-sent events: a word whenever something changed, a comment as heartbeat, an end. */
import type { Response } from 'express';
import type { Change } from '../../store/database/notifications.ts';
import type { PagesOptions } from './context.ts';

const HEARTBEAT_MS = 15_000;
/** Changes that come closer together are told as one. */
const COALESCE_MS = 250;
const MAX_LIVE = 500;
const MAX_LIVE_OF_ORGANIZATION = 100;

/** What a page is told; `over`: nothing more will come. */
export interface LiveState {
  readonly status: string;
  readonly resolved: number;
  readonly total: number;
  readonly over: boolean;
}

export interface LiveSource {
  concerns(change: Change): boolean;
  /** undefined: it is gone, or whoever watches may not see it any more. */
  read(): Promise<LiveState | undefined>;
}

type LiveOptions = Pick<PagesOptions, 'subscribe' | 'log' | 'maxLive' | 'maxLiveOfOrganization'>;

export class LiveConnections {
  readonly #options: LiveOptions;
  /** How many are open, by organization. */
  readonly #open = new Map<string, number>();

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  /** Holds the response until all is over, or the client leaves. */
  async watch(response: Response, organizationId: string, watched: LiveSource): Promise<void> {
    // Whoever left while the page was looked up has closed already, and will not do so again.
    if (response.closed || response.destroyed) return;
    if (this.#isFull(organizationId)) {
      response
        .status(503)
        .set({ 'Retry-After': '30', 'Cache-Control': 'no-store' })
        .end('Too many pages are open; reload instead.\n');
      return;
    }
    this.#count(organizationId, 1);
    response.once('close', () => this.#count(organizationId, -1));
    const stream = new LiveStream(response, watched, this.#options.log);
    const unsubscribe = this.#options.subscribe((change) => {
      if (watched.concerns(change)) stream.changed();
    });
    response.once('close', unsubscribe);
    await stream.start();
  }

  /** One organization's pages never take the places of all others. */
  #isFull(organizationId: string): boolean {
    const { maxLive = MAX_LIVE, maxLiveOfOrganization = MAX_LIVE_OF_ORGANIZATION } = this.#options;
    const all = [...this.#open.values()].reduce((sum, count) => sum + count, 0);
    return all >= maxLive || (this.#open.get(organizationId) ?? 0) >= maxLiveOfOrganization;
  }

  #count(organizationId: string, change: 1 | -1): void {
    const count = (this.#open.get(organizationId) ?? 0) + change;
    if (count > 0) this.#open.set(organizationId, count);
    else this.#open.delete(organizationId);
  }
}

class LiveStream {
  readonly #response: Response;
  readonly #watched: LiveSource;
  readonly #log: PagesOptions['log'];
  #pending: NodeJS.Timeout | undefined;
  #last = '';

  constructor(response: Response, watched: LiveSource, log: PagesOptions['log']) {
    this.#response = response;
    this.#watched = watched;
    this.#log = log;
  }

  async start(): Promise<void> {
    this.#response.status(200).set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    this.#response.write('retry: 3000\n\n');
    const heartbeat = setInterval(() => {
      this.#response.write(': still here\n\n');
      // Also where a notification was lost, and to see that the viewer still may look.
      this.changed();
    }, HEARTBEAT_MS);
    this.#response.once('close', () => {
      clearInterval(heartbeat);
      clearTimeout(this.#pending);
    });
    await this.#tell();
  }

  changed(): void {
    this.#pending ??= setTimeout(() => {
      this.#pending = undefined;
      this.#tell().catch((error: unknown) => {
        this.#log.warn({ err: error }, 'live progress could not be read; the page asks again');
        this.#response.end();
      });
    }, COALESCE_MS);
  }

  async #tell(): Promise<void> {
    const state = await this.#watched.read();
    if (this.#response.writableEnded || this.#response.destroyed) return;
    if (state === undefined) {
      this.#response.end('event: end\ndata: {}\n\n');
      return;
    }
    const data = JSON.stringify(state);
    if (data !== this.#last) this.#response.write(`event: changed\ndata: ${data}\n\n`);
    this.#last = data;
    if (state.over) this.#response.end(`event: end\ndata: ${data}\n\n`);
  }
}
