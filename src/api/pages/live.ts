/** Live progress as server-sent events: a word whenever something changed, a comment as heartbeat, an end. */
import type { Response } from 'express';
import type { Change } from '../../store/notifications.ts';
import type { PagesOptions } from './context.ts';

const HEARTBEAT_MS = 15_000;
/** Changes that come closer together are told as one. */
const COALESCE_MS = 250;
const MAX_LIVE = 500;

/** What a page is told; `over`: nothing more will come. */
export interface LiveState {
  readonly status: string;
  readonly resolved: number;
  readonly total: number;
  readonly over: boolean;
}

export interface Watched {
  concerns(change: Change): boolean;
  /** undefined: it is gone, or whoever watches may not see it any more. */
  read(): Promise<LiveState | undefined>;
}

export class LiveConnections {
  readonly #options: Pick<PagesOptions, 'subscribe' | 'log' | 'maxLive'>;
  #open = 0;

  constructor(options: Pick<PagesOptions, 'subscribe' | 'log' | 'maxLive'>) {
    this.#options = options;
  }

  /** Holds the response until all is over, or the client leaves. */
  async watch(response: Response, watched: Watched): Promise<void> {
    if (this.#open >= (this.#options.maxLive ?? MAX_LIVE)) {
      response
        .status(503)
        .set({ 'Retry-After': '30', 'Cache-Control': 'no-store' })
        .end('Too many pages are open; reload instead.\n');
      return;
    }
    this.#open += 1;
    response.once('close', () => {
      this.#open -= 1;
    });
    const stream = new LiveStream(response, watched, this.#options.log);
    const unsubscribe = this.#options.subscribe((change) => {
      if (watched.concerns(change)) stream.changed();
    });
    response.once('close', unsubscribe);
    await stream.start();
  }
}

class LiveStream {
  readonly #response: Response;
  readonly #watched: Watched;
  readonly #log: PagesOptions['log'];
  #pending: NodeJS.Timeout | undefined;
  #last = '';

  constructor(response: Response, watched: Watched, log: PagesOptions['log']) {
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
