import type { AdSize, CreativeFormat } from '../../domain/ads.ts';
import type { AdFailure } from '../../domain/states.ts';
import type { Warning } from '../../domain/warnings.ts';
import type { MemoryConsumer } from '../memory/watchdog.ts';

/** The content of a creative. `file`: an upload, or a file of `tearsheet shoot`. */
export type CreativeSource =
  | { readonly kind: 'url'; readonly content: string }
  | { readonly kind: 'html_tag'; readonly content: string }
  | { readonly kind: 'file'; readonly name: string; readonly bytes: Buffer };

export type { CreativeFormat } from '../../domain/ads.ts';

export interface RenderRequest {
  /** In milliseconds of the creative's own time; null is the default frame. */
  readonly markers: readonly (number | null)[];
  /** Each marker is rendered at each pixel ratio, unless `isWanted` excludes it. */
  readonly ratios: readonly number[];
  /** @returns whether any screenshot needs this frame. Default: all. */
  readonly isWanted?: (markerMs: number | null, ratio: number) => boolean;
  /** The size that the client gave, CSS pixels. It overrides what the creative declares. */
  readonly size?: AdSize | undefined;
  readonly signal?: AbortSignal;
}

/** One frame of a creative: `width × height` CSS pixels, as a PNG of `width·ratio × height·ratio` device pixels. */
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
  /** `stepped`: stepped time. `wall`: real time, because stepped time failed. `still`: an image, decoded without a browser. */
  readonly mode: 'stepped' | 'wall' | 'still';
  /** Facts for the provenance record: hung requests, fallbacks, dismissed dialogs. */
  readonly notes: readonly string[];
  /** For the user of the pictures. */
  readonly warnings: readonly Warning[];
}

export interface FailedCreative {
  readonly status: AdFailure;
  /** A sentence for the client. */
  readonly reason: string;
}

export interface CreativeRenderer {
  /** A faulty creative gives a FailedCreative. @throws BrowserStartError, the reason of the signal, Error if the renderer is closed. */
  render(source: CreativeSource, request: RenderRequest): Promise<RenderedCreative | FailedCreative>;
  /** @returns the browsers that are rendering now. If one is ended, its creative fails. */
  memoryConsumers(): readonly MemoryConsumer[];
  close(): Promise<void>;
}
