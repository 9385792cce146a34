/** Live progress as server-sent events: the state after each change, a comment as heartbeat, and an end. */
import type { Response } from 'express';
import { callerNetwork } from '../../api/server/caller.ts';
import { readSetIds } from '../../core/sets/campaigns.ts';
import { readProgress } from '../../core/sets/readSet.ts';
import { readLaterRetakes } from '../../core/sets/readVersions.ts';
import type { Change } from '../../db/notifications.ts';
import { KeyedSum } from '../../lib/keyedSum.ts';
import type { PagesOptions, Viewer } from './context.ts';

const HEARTBEAT_MS = 15_000;
/** The stream sends changes within this time as one. */
const COALESCE_MS = 250;
const MAX_LIVE = 500;
const MAX_LIVE_OF_ORGANIZATION = 100;
const MAX_LIVE_OF_NETWORK = 100;
const MAX_LIVE_OF_LINK = 25;
const MAX_LIVE_OF_VIEWER = 30;

/** The state of a set or an ad; `over` means that it will not change again. */
export interface LiveState {
  readonly status: string;
  /** Finished screenshots, of all of them. */
  readonly resolved?: number;
  readonly total?: number;
  /** Finished screenshots of retakes, if there are some. */
  readonly retaken?: number;
  /** Only for a delivery. */
  readonly attempts?: number | undefined;
  /** Grows with each change of a set, for example a decision, a comment or an answer. */
  readonly revision?: number;
  readonly over: boolean;
}

export interface LiveSource {
  concerns(change: Change): boolean;
  /** @param changes of the object since the stream began. @returns undefined if the object is gone or the viewer has lost access. */
  read(changes: number): Promise<LiveState | undefined>;
}

type LiveOptions = Pick<
  PagesOptions,
  'subscribe' | 'log' | 'maxLive' | 'maxLiveOfOrganization' | 'maxLiveOfNetwork' | 'maxLiveOfLink'
>;

interface LiveReader {
  readonly organizationId: string;
  readonly userId?: string | null;
  readonly keyId?: string | null;
  /** The share link that the reader opened. */
  readonly linkId?: string;
}

export class LiveConnections {
  readonly #options: LiveOptions;
  readonly #open = new KeyedSum();

  constructor(options: LiveOptions) {
    this.#options = options;
  }

  /** Keeps the response open until the state is final or the client disconnects. */
  async open(response: Response, reader: LiveReader, source: LiveSource): Promise<void> {
    // A client that disconnected during the look-up emits no further close event.
    if (response.closed || response.destroyed) return;
    const bounds = this.#boundsOf(reader, callerNetwork(response.req));
    if (bounds.some(([name, most]) => this.#open.of(name) >= most)) {
      response
        .status(503)
        .set({ 'Retry-After': '30', 'Cache-Control': 'no-store' })
        .end('Too many live pages are open. Reload the page to see changes.\n');
      return;
    }
    const count = (change: 1 | -1) => {
      for (const [name] of bounds) this.#open.add(name, change);
    };
    count(1);
    response.once('close', () => count(-1));
    const stream = new LiveStream(response, source, this.#options.log);
    const unsubscribe = this.#options.subscribe((change) => {
      const isOfViewer = change.person !== undefined && change.person === reader.userId;
      // A notification without fields means that anything may have changed.
      const isAny = Object.keys(change).length === 0;
      if (isOfViewer || isAny || source.concerns(change)) stream.noteChange();
    });
    response.once('close', unsubscribe);
    await stream.start();
  }

  /** Keeps one organization or network from using all connections, and one viewer or link from using all those of its organization. */
  #boundsOf(
    { organizationId, linkId, userId, keyId }: LiveReader,
    network: string,
  ): (readonly [name: string, most: number])[] {
    const { maxLive = MAX_LIVE, maxLiveOfOrganization = MAX_LIVE_OF_ORGANIZATION } = this.#options;
    const { maxLiveOfNetwork = MAX_LIVE_OF_NETWORK, maxLiveOfLink = MAX_LIVE_OF_LINK } = this.#options;
    return [
      ['all', maxLive],
      [`organization ${organizationId}`, maxLiveOfOrganization],
      [`network ${network}`, maxLiveOfNetwork],
      linkId === undefined
        ? [`viewer ${organizationId} ${userId ?? keyId}`, MAX_LIVE_OF_VIEWER]
        : [`link ${linkId}`, maxLiveOfLink],
    ];
  }
}

class LiveStream {
  readonly #response: Response;
  readonly #source: LiveSource;
  readonly #log: PagesOptions['log'];
  #pending: NodeJS.Timeout | undefined;
  #last = '';
  #changes = 0;

  constructor(response: Response, source: LiveSource, log: PagesOptions['log']) {
    this.#response = response;
    this.#source = source;
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
      // Also covers lost notifications and checks that the viewer still has access.
      this.scheduleUpdate();
    }, HEARTBEAT_MS);
    this.#response.once('close', () => {
      clearInterval(heartbeat);
      clearTimeout(this.#pending);
    });
    await this.#update();
  }

  noteChange(): void {
    this.#changes += 1;
    this.scheduleUpdate();
  }

  scheduleUpdate(): void {
    this.#pending ??= setTimeout(() => {
      this.#pending = undefined;
      void this.#update();
    }, COALESCE_MS);
  }

  async #update(): Promise<void> {
    try {
      await this.#sendState();
    } catch (error) {
      this.#log.warn({ err: error }, 'live progress could not be read; the page will reconnect');
      this.#response.end();
    }
  }

  async #sendState(): Promise<void> {
    const state = await this.#source.read(this.#changes);
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

/** Finds the viewer again for each update, so that a revoked key or link sees nothing more. */
type FindViewer = () => Promise<Pick<Viewer, 'organizationId'> | undefined>;

/** Follows a set and the retakes of it, whose pictures its page shows. It does not end, because people comment on finished sets too. */
export function setSource({ store }: PagesOptions, id: string, findViewer: FindViewer): LiveSource {
  const watched = new Set([id]);
  return {
    concerns: (change) => watched.has(change.set ?? ''),
    read: async (revision) => {
      const viewer = await findViewer();
      const progress = viewer && (await readProgress(store.db, { id, organizationId: viewer.organizationId }));
      if (progress === undefined) return undefined;
      const retakes = await readLaterRetakes(store.db, id);
      for (const retake of retakes) watched.add(retake.id);
      const retaken = retakes.reduce((sum, { resolved }) => sum + resolved, 0);
      return { ...progress, ...(retakes.length > 0 && { retaken }), revision, over: false };
    },
  };
}

/** Follows all sets of a campaign. A set that is requested meanwhile appears with the next heartbeat. */
export function campaignSource({ store }: PagesOptions, campaignId: string, findViewer: FindViewer): LiveSource {
  let watched: ReadonlySet<string> = new Set();
  return {
    concerns: ({ set = '' }) => watched.has(set),
    read: async (revision) => {
      if ((await findViewer()) === undefined) return undefined;
      watched = new Set(await readSetIds(store.db, campaignId));
      return { status: `${watched.size} sets`, revision, over: false };
    },
  };
}

/** Follows an object whose status is pending until it ends. @param statusOf returns undefined if the object is gone. */
export function pendingSource(
  concerns: LiveSource['concerns'],
  findViewer: () => Promise<Viewer | undefined>,
  statusOf: (viewer: Viewer) => Promise<{ readonly status: string; readonly attempts?: number } | undefined>,
): LiveSource {
  return {
    concerns,
    read: async () => {
      const viewer = await findViewer();
      const found = viewer && (await statusOf(viewer));
      if (found === undefined) return undefined;
      const { status, attempts } = found;
      return { status, attempts, over: status !== 'pending' };
    },
  };
}
