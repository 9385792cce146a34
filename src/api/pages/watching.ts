/** What live progress tells of a set, and of an ad. */
import { isTerminalSet } from '../../domain/states.ts';
import { readAdHead } from '../../store/ads/readAd.ts';
import { readProgress } from '../../store/sets/readSet.ts';
import type { PagesOptions, Viewer } from './context.ts';
import type { LiveSource } from './live.ts';

/** Asked again at each telling, so that a revoked key sees no more. */
export type Look = () => Promise<Viewer | undefined>;

/** A change without a name may be any. */
const isAny = (change: object) => Object.keys(change).length === 0;

export function watchSet({ store }: PagesOptions, id: string, look: Look): LiveSource {
  return {
    concerns: (change) => change.set === id || isAny(change),
    read: async () => {
      const viewer = await look();
      const progress = viewer && (await readProgress(store.db, { id, organizationId: viewer.organizationId }));
      return progress && { ...progress, over: progress.status === 'in_review' || isTerminalSet(progress.status) };
    },
  };
}

export function watchAd({ store }: PagesOptions, id: string, look: Look): LiveSource {
  return {
    concerns: (change) => change.ad === id || isAny(change),
    read: async () => {
      const viewer = await look();
      const ad = viewer && (await readAdHead(store.db, { id, organizationId: viewer.organizationId }));
      if (ad === undefined) return undefined;
      const over = ad.status !== 'pending';
      return { status: ad.status, resolved: over ? 1 : 0, total: 1, over };
    },
  };
}
