/** What has become of the creatives so far, for whoever places them. */
import type { CreativeFrame, RenderedCreative } from '../creative/creative.ts';
import type { FrameStore, StoredFrame } from './frameStore.ts';

export type CreativeOutcome =
  | {
      readonly status: 'rendered';
      /** How it was captured, where that is known. */
      readonly mode: string | null;
      /** @returns undefined when there is no such frame. */
      frame(markerMs: number | null, ratio: number): Promise<CreativeFrame | undefined>;
    }
  | { readonly status: 'failed'; readonly reason: string };

export class CreativeOutcomes {
  readonly #outcomes = new Map<string, CreativeOutcome>();
  readonly #changes = new EventTarget();

  /** The first outcome of an ad stands. */
  resolve(ad: string, outcome: CreativeOutcome): void {
    if (this.#outcomes.has(ad)) return;
    this.#outcomes.set(ad, outcome);
    this.#changes.dispatchEvent(new Event('change'));
  }

  get(ad: string): CreativeOutcome | undefined {
    return this.#outcomes.get(ad);
  }

  unresolved(ads: Iterable<string>): string[] {
    return [...ads].filter((ad) => !this.#outcomes.has(ad));
  }

  /** @returns the first of `ads` that is resolved, as soon as one is. @throws the reason of `signal`. */
  async waitForFirst(ads: readonly string[], signal: AbortSignal): Promise<[ad: string, outcome: CreativeOutcome]> {
    for (;;) {
      for (const ad of ads) {
        const outcome = this.#outcomes.get(ad);
        if (outcome !== undefined) return [ad, outcome];
      }
      await this.waitForChange(signal);
    }
  }

  /** Resolves at the next outcome, or after `ms` where given. @throws the reason of `signal`. */
  waitForChange(signal: AbortSignal, ms?: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = ms === undefined ? undefined : setTimeout(() => done(resolve), ms);
      const onChange = () => done(resolve);
      const onAbort = () => done(() => reject(signal.reason));
      const done = (settle: () => void) => {
        clearTimeout(timer);
        this.#changes.removeEventListener('change', onChange);
        signal.removeEventListener('abort', onAbort);
        settle();
      };
      this.#changes.addEventListener('change', onChange);
      signal.addEventListener('abort', onAbort);
      if (signal.aborted) onAbort();
    });
  }
}

/** An own rendering, its frames kept for placing. `isWanted` leaves out those that no page of ours will show. */
export async function storeRendering(
  { frames, mode }: RenderedCreative,
  store: FrameStore,
  isWanted: (frame: CreativeFrame) => boolean = () => true,
): Promise<CreativeOutcome> {
  const kept = new Map<string, { readonly frame: Omit<CreativeFrame, 'png'>; readonly png: StoredFrame }>();
  for (const { png, ...frame } of frames) {
    const wanted = isWanted({ ...frame, png });
    if (wanted) kept.set(frameKey(frame.markerMs, frame.ratio), { frame, png: await store.keep(png) });
  }
  return {
    status: 'rendered',
    mode,
    async frame(markerMs, ratio) {
      const found = kept.get(frameKey(markerMs, ratio));
      return found && { ...found.frame, png: await found.png() };
    },
  };
}

function frameKey(markerMs: number | null, ratio: number): string {
  return `${markerMs ?? 'default'} at ${ratio}`;
}
