/** The outcomes of all creatives of a capture. The pages wait for them. */

import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isSameFilm, type WantedFilm } from '../../domain/animations.ts';
import type { Warning } from '../../domain/warnings.ts';
import type { CreativeFilm, CreativeFrame, RenderedCreative } from '../creative/creative.ts';

export type CreativeOutcome =
  | {
      readonly status: 'rendered';
      /** As in RenderedCreative; null if another capture rendered it. */
      readonly mode: string | null;
      readonly isVideo: boolean;
      readonly warnings: readonly Warning[];
      /** @returns undefined if the frame does not exist. */
      frame(markerMs: number | null, ratio: number): Promise<CreativeFrame | undefined>;
      /** @returns undefined if no such film exists. */
      film(wanted: WantedFilm): Promise<CreativeFilm | undefined>;
    }
  | { readonly status: 'failed'; readonly reason: string };

export class CreativeOutcomes {
  readonly #outcomes = new Map<string, CreativeOutcome>();
  readonly #changes = new EventTarget();

  /** Only the first outcome of an ad counts. */
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

  /** Waits until one of `ads` is resolved and returns it. @throws the reason of `signal`. */
  async waitForFirst(ads: readonly string[], signal: AbortSignal): Promise<[ad: string, outcome: CreativeOutcome]> {
    for (;;) {
      for (const ad of ads) {
        const outcome = this.#outcomes.get(ad);
        if (outcome !== undefined) return [ad, outcome];
      }
      await this.waitForChange(signal);
    }
  }

  /** Resolves at the next outcome, or after `ms` if given. @throws the reason of `signal`. */
  async waitForChange(signal: AbortSignal, ms?: number): Promise<void> {
    const over = new AbortController();
    const timer = ms === undefined ? undefined : setTimeout(() => over.abort(), ms);
    const ended = AbortSignal.any([signal, over.signal]);
    try {
      await once(this.#changes, 'change', { signal: ended });
    } catch {
      signal.throwIfAborted();
    } finally {
      clearTimeout(timer);
    }
  }
}

type Readable<Key, Value> = Key & { readonly read: () => Promise<Value> };

/** @returns an outcome that reads its files when a page needs them. */
export function renderedOutcome(
  about: Pick<Extract<CreativeOutcome, { status: 'rendered' }>, 'mode' | 'isVideo' | 'warnings'>,
  frames: readonly Readable<Pick<CreativeFrame, 'markerMs' | 'ratio'>, CreativeFrame>[],
  films: readonly Readable<WantedFilm, CreativeFilm>[],
): CreativeOutcome {
  return {
    status: 'rendered',
    ...about,
    frame: async (markerMs, ratio) =>
      frames.find((frame) => frame.markerMs === markerMs && frame.ratio === ratio)?.read(),
    film: async (wanted) => films.find((film) => isSameFilm(film, wanted))?.read(),
  };
}

/** Stores the frames of a creative that this capture rendered. `isWanted` excludes frames that none of its pages shows. */
export async function storeRendering(
  { frames, films = [], mode, category, warnings }: RenderedCreative,
  store: FrameStore,
  isWanted: (frame: CreativeFrame) => boolean = () => true,
): Promise<CreativeOutcome> {
  const keptFrames = frames.filter(isWanted).map(async ({ png, ...frame }) => {
    const read = await store.keep(png);
    return { ...frame, read: async () => ({ ...frame, png: await read() }) };
  });
  const keptFilms = films.map(async (film) => {
    if ('reason' in film) return { ...film, read: async () => film };
    const { pngs, ...about } = film;
    const read = await store.keep(pngs);
    return { ...about, read: async () => ({ ...about, pngs: await read() }) };
  });
  const about = { mode, isVideo: category === 'video', warnings };
  return renderedOutcome(about, await Promise.all(keptFrames), await Promise.all(keptFilms));
}

/** Stores the PNGs of frames in a temporary folder until they are placed. */
export class FrameStore {
  readonly #tempDir: string;
  #files = 0;
  #folder: Promise<string> | undefined;

  /** @param tempDir the parent of the folder. */
  constructor(tempDir = tmpdir()) {
    this.#tempDir = tempDir;
  }

  /** @returns a function that reads the bytes. */
  async keep(png: Buffer): Promise<() => Promise<Buffer>> {
    this.#folder ??= mkdtemp(path.join(this.#tempDir, 'tearsheet-frames-'));
    const file = path.join(await this.#folder, `${this.#files++}.png`);
    await writeFile(file, png);
    return () => readFile(file);
  }

  /** Removes the temporary folder and the frames in it. */
  async close(): Promise<void> {
    if (this.#folder !== undefined) await rm(await this.#folder, { recursive: true, force: true });
  }
}
