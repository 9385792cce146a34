/** The outcomes of all creatives of a capture. The pages wait for them. */

import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isSameFilm, type WantedFilm } from '../../domain/animations.ts';
import type { Warning } from '../../domain/warnings.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
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

/** Stores the frames of a creative that this capture rendered. `isWanted` excludes frames that none of its pages shows. */
export async function storeRendering(
  { frames, films = [], mode, category, warnings }: RenderedCreative,
  store: FrameStore,
  isWanted: (frame: CreativeFrame) => boolean = () => true,
): Promise<CreativeOutcome> {
  const kept = new Map<string, { readonly frame: Omit<CreativeFrame, 'png'>; readonly png: FrameReader }>();
  for (const { png, ...frame } of frames) {
    const wanted = isWanted({ ...frame, png });
    if (wanted) kept.set(frameKey(frame.markerMs, frame.ratio), { frame, png: await store.keep(png) });
  }
  const keptFilms = await Promise.all(
    films.map(async (film) => ({ film, pngs: 'pngs' in film ? await store.keep(film.pngs) : undefined })),
  );
  return {
    status: 'rendered',
    mode,
    isVideo: category === 'video',
    warnings,
    async film(wanted) {
      const found = keptFilms.find(({ film }) => isSameFilm(film, wanted));
      return found?.pngs === undefined ? found?.film : { ...found.film, pngs: await found.pngs() };
    },
    async frame(markerMs, ratio) {
      const found = kept.get(frameKey(markerMs, ratio));
      return found && { ...found.frame, png: await found.png() };
    },
  };
}

function frameKey(markerMs: number | null, ratio: number): string {
  return `${markerMs ?? 'default'} at ${ratio}`;
}

interface FrameStoreOptions {
  /** Default 96 MiB. */
  readonly memoryBytes?: number;
  /** The parent of the temporary folder. Default: the system's. */
  readonly tempDir?: string;
}

/** Returns the bytes. It can be called several times. */
export type FrameReader = () => Promise<Buffer>;

/** Stores the PNGs of frames until they are placed: in memory up to a limit, then in a temporary folder. */
export class FrameStore {
  readonly #memoryBytes: number;
  readonly #tempDir: string;
  #usedBytes = 0;
  #files = 0;
  #folder: Promise<string> | undefined;

  constructor({ memoryBytes = 96 * 1024 * 1024, tempDir = tmpdir() }: FrameStoreOptions = {}) {
    this.#memoryBytes = memoryBytes;
    this.#tempDir = tempDir;
  }

  async keep(png: Buffer): Promise<FrameReader> {
    if (this.#usedBytes + png.length <= this.#memoryBytes) {
      this.#usedBytes += png.length;
      return async () => png;
    }
    this.#folder ??= this.#createFolder();
    const file = path.join(await this.#folder, `${this.#files++}.png`);
    await writeFile(file, png);
    return () => readFile(file);
  }

  async #createFolder(): Promise<string> {
    try {
      return await mkdtemp(path.join(this.#tempDir, 'tearsheet-frames-'));
    } catch (cause) {
      throw new Error(`The folder for frames could not be created: ${errorMessage(cause)}`, { cause });
    }
  }

  /** Removes the temporary folder and the frames in it. */
  async close(): Promise<void> {
    if (this.#folder !== undefined) await rm(await this.#folder, { recursive: true, force: true });
  }
}
