import type { AdFailure } from '../../domain/states.ts';
import type { MemoryConsumer } from '../memory/watchdog.ts';

/** What a client handed in. `file` is for `tearsheet shoot` alone: bytes that are at hand already. */
export type CreativeSource =
  | { readonly kind: 'url'; readonly content: string }
  | { readonly kind: 'html_tag'; readonly content: string }
  | { readonly kind: 'file'; readonly name: string; readonly bytes: Buffer };

/** What the creative turned out to be, told by its content. */
export type CreativeFormat = 'image' | 'video' | 'vast' | 'html5_zip' | 'html' | 'tag';

export interface RenderRequest {
  /** Moments of the creative's own time, in milliseconds; null is the resting picture (default capture logic). */
  readonly markers: readonly (number | null)[];
  /** Device pixel ratios; every marker is captured at every ratio, unless `isWanted` says otherwise. */
  readonly ratios: readonly number[];
  /** Which of these are shown anywhere. */
  readonly isWanted?: (markerMs: number | null, ratio: number) => boolean;
  readonly signal?: AbortSignal;
}

/** One picture of a creative: `width × height` CSS pixels, a PNG of `width·ratio × height·ratio` device pixels. */
export interface CreativeFrame {
  readonly markerMs: number | null;
  readonly ratio: number;
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
}

export interface RenderedCreative {
  readonly status: 'uploaded';
  readonly format: CreativeFormat;
  readonly category: 'display' | 'video';
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly frames: readonly CreativeFrame[];
  /** `stepped`: virtual time; `wall`: the creative resisted and was captured in real time; `still`: an image, decoded without a browser clock. */
  readonly mode: 'stepped' | 'wall' | 'still';
  /** What a reader of the record should know: hung requests, fallbacks, swallowed dialogs. */
  readonly notes: readonly string[];
}

export interface FailedCreative {
  readonly status: AdFailure;
  /** In words, for the user. */
  readonly reason: string;
}

export interface CreativeRenderer {
  /** Never throws for what a creative does; only where the renderer is closed, or (BrowserStartError) cannot start its browser. */
  render(source: CreativeSource, request: RenderRequest): Promise<RenderedCreative | FailedCreative>;
  /** The browsers that render at this moment; one that is ended fails its creative. */
  memoryConsumers(): readonly MemoryConsumer[];
  close(): Promise<void>;
}
