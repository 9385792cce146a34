/** Live changes as server-sent events: one after each change, a comment as heartbeat, and an end. */
import type { Response } from 'express';
import { callerNetwork } from '../../api/server/caller.ts';
import { hasSet } from '../../core/sets/readSet.ts';
import { readLaterRetakes } from '../../core/sets/readVersions.ts';
import type { Store } from '../../db/database.ts';
import type { Change } from '../../db/notifications.ts';
import type { ObjectRef } from '../../db/rows.ts';
import { KeyedSum } from '../../lib/keyedSum.ts';
import type { Log } from '../../lib/log.ts';

const HEARTBEAT_MS = 15_000;
/** The stream sends changes within this time as one. */
const COALESCE_MS = 250;

/** Maximum number of open streams of this process, and of each of these in it. A network is an address, or that of an IPv6 address. */
const LIVE_LIMITS = { all: 500, organization: 100, network: 100, link: 25, viewer: 30 };

export interface LiveOptions {
  /** Calls the handler for each change. @returns a function that ends the subscription. */
  readonly subscribe: (handler: (change: Change) => void) => () => void;
  readonly log: Log;
  /** In place of those that the pages have. */
  readonly liveLimits?: Partial<typeof LIVE_LIMITS>;
}

/** The object that a page follows. */
export interface LiveSource {
  concerns(change: Change): boolean;
  exists(): Promise<boolean>;
}

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

  /**
   * Keeps the response open until the client disconnects, or has lost access to the object.
   * @param hasAccess looks the reader up again, so that a revoked key or link sees nothing more.
   */
  async open(
    response: Response,
    reader: LiveReader,
    source: LiveSource,
    hasAccess: () => Promise<boolean>,
  ): Promise<void> {
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
    await this.#follow(response, reader, { ...source, isVisible: async () => (await hasAccess()) && source.exists() });
  }

  async #follow(
    response: Response,
    { userId }: LiveReader,
    { concerns, isVisible }: Pick<LiveSource, 'concerns'> & { isVisible(): Promise<boolean> },
  ): Promise<void> {
    // The page may be older than the stream, so the first event brings it up to date.
    let isChanged = true;
    let pending: NodeJS.Timeout | undefined;
    const send = async () => {
      pending = undefined;
      const isOver = !(await isVisible());
      if (response.writableEnded || response.destroyed) return;
      if (isOver) response.end('event: end\ndata: {}\n\n');
      else if (isChanged) response.write('event: changed\ndata: {}\n\n');
      isChanged = false;
    };
    const update = () =>
      send().catch((error: unknown) => {
        this.#options.log.warn({ err: error }, 'live changes could not be read; the page will reconnect');
        response.end();
      });
    const schedule = () => {
      pending ??= setTimeout(() => void update(), COALESCE_MS);
    };
    const unsubscribe = this.#options.subscribe((change) => {
      const isOfViewer = change.person !== undefined && change.person === userId;
      // A notification without fields means that anything may have changed.
      const isAny = Object.keys(change).length === 0;
      if (!isOfViewer && !isAny && !concerns(change)) return;
      isChanged = true;
      schedule();
    });
    const heartbeat = setInterval(() => {
      response.write(': still here\n\n');
      // Checks that the reader still has access.
      schedule();
    }, HEARTBEAT_MS);
    response.once('close', () => {
      unsubscribe();
      clearInterval(heartbeat);
      clearTimeout(pending);
    });
    response.status(200).set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    });
    response.write('retry: 3000\n\n');
    await update();
  }

  /** Keeps one organization or network from using all connections, and one viewer or link from using all those of its organization. */
  #boundsOf(
    { organizationId, linkId, userId, keyId }: LiveReader,
    network: string,
  ): (readonly [name: string, most: number])[] {
    const limits = { ...LIVE_LIMITS, ...this.#options.liveLimits };
    return [
      ['all', limits.all],
      [`organization ${organizationId}`, limits.organization],
      [`network ${network}`, limits.network],
      linkId === undefined
        ? [`viewer ${organizationId} ${userId ?? keyId}`, limits.viewer]
        : [`link ${linkId}`, limits.link],
    ];
  }
}

/** Follows sets. @param readIds returns undefined if its object is gone. @param organizationId whose new sets count too. */
export function setsSource(readIds: () => Promise<readonly string[] | undefined>, organizationId?: string): LiveSource {
  let watched: ReadonlySet<string> = new Set();
  return {
    concerns: ({ set, organization }) =>
      (set !== undefined && watched.has(set)) || (organization !== undefined && organization === organizationId),
    exists: async () => {
      const ids = await readIds();
      watched = new Set(ids);
      return ids !== undefined;
    },
  };
}

/** Follows a set and the retakes of it, whose pictures its page shows. */
export function setSource({ store: { db } }: { readonly store: Pick<Store, 'db'> }, ref: ObjectRef): LiveSource {
  return setsSource(async () => {
    if (!(await hasSet(db, ref))) return undefined;
    return [ref.id, ...(await readLaterRetakes(db, ref.id)).map(({ id }) => id)];
  });
}
