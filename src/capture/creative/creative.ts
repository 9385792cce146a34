import type { CreativeFacts } from '../../contract/creativeFacts.ts';
import { AD_SIDE_MAX, type AdCategory, type AdSize, type CreativeFormat } from '../../domain/ads.ts';
import type { WantedFilm } from '../../domain/animations.ts';
import type { AdFailure } from '../../domain/states.ts';
import type { Warning } from '../../domain/warnings.ts';
import {
  ConnectionFailedError,
  EgressRefusedError,
  HostNotFoundError,
  NetworkTimeoutError,
  ResponseTooLargeError,
  TlsError,
  TooManyRedirectsError,
} from '../../egress/errors.ts';
import { NotACreativeError } from '../../lib/detectContent.ts';
import type { MemoryConsumer } from '../memory/watchdog.ts';

/** The default for one creative with all its frames. */
export const CREATIVE_DEADLINE_MS = 60_000;

/** CSS pixels. */
export type Size = AdSize;

/** The content of a creative. `file`: an upload, or a file of `tearsheet shoot`. */
export type CreativeSource =
  | { readonly kind: 'url'; readonly content: string }
  | { readonly kind: 'html_tag'; readonly content: string }
  | { readonly kind: 'file'; readonly name: string; readonly bytes: Buffer };

/** Files of an HTML5 creative by path, relative to the folder of its page. */
export interface ZipSite {
  readonly files: ReadonlyMap<string, Buffer>;
  /** Other readings of names whose encoding is unknown, with the path in {@link files}. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Path of the page in {@link files}. */
  readonly index: string;
}

export interface RenderRequest {
  /** In milliseconds of the creative's own time; null is the default frame. */
  readonly markers: readonly (number | null)[];
  /** Each marker is rendered at each pixel ratio, unless `isWanted` excludes it. */
  readonly ratios: readonly number[];
  /** @returns whether any screenshot needs this frame. Default: all. */
  readonly isWanted?: (markerMs: number | null, ratio: number) => boolean;
  /** The size that the client gave, CSS pixels. It overrides what the creative declares. */
  readonly size?: AdSize | undefined;
  /** The format of the creative in an earlier capture. */
  readonly earlierFormat?: string | undefined;
  /** The frames for animations. Default: none. */
  readonly films?: readonly WantedFilm[];
  /** Whether to measure what ad servers check. */
  readonly wantsFacts?: boolean;
  /** Called before the facts are measured, so that pages need not wait for them. */
  readonly onFrames?: (rendered: RenderedCreative) => Promise<void>;
  readonly signal?: AbortSignal;
}

/** The frames of an animation, each in `width·ratio × height·ratio` device pixels, or why there are none. */
export type CreativeFilm = WantedFilm &
  (
    | {
        /** The PNGs of the different frames, one after another. */
        readonly pngs: Buffer;
        /** How many frames each PNG stays. The sum is `seconds·fps`. */
        readonly holds: readonly number[];
      }
    | { readonly reason: string }
  );

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
  readonly category: AdCategory;
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly frames: readonly CreativeFrame[];
  /** One for each wanted film. */
  readonly films?: readonly CreativeFilm[];
  /** `stepped`: stepped time. `wall`: real time, because stepped time failed. `still`: an image, decoded without a browser. */
  readonly mode: 'stepped' | 'wall' | 'still';
  /** Facts for the provenance record: hung requests, fallbacks, dismissed dialogs. */
  readonly notes: readonly string[];
  /** For the user of the pictures. */
  readonly warnings: readonly Warning[];
  /** Only if they were asked for. */
  readonly facts?: CreativeFacts;
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

/** The creative cannot be rendered. The client reads `message`. */
export class CreativeError extends Error {
  readonly status: AdFailure;

  constructor(reason: string, { status = 'generic_error', ...options }: ErrorOptions & { status?: AdFailure } = {}) {
    super(reason, options);
    this.status = status;
  }
}

/** Errors that are the fault of the creative. */
const FAULTS: readonly (readonly [new (...args: never[]) => Error, AdFailure])[] = [
  [NotACreativeError, 'generic_error'],
  [HostNotFoundError, 'not_found'],
  [NetworkTimeoutError, 'net_read_timeout'],
  [EgressRefusedError, 'generic_error'],
  [ConnectionFailedError, 'generic_error'],
  [TlsError, 'generic_error'],
  [ResponseTooLargeError, 'generic_error'],
  [TooManyRedirectsError, 'generic_error'],
];

/** @returns the failed creative, or undefined if the error is not the creative's fault. */
export function asFailedCreative(error: unknown): FailedCreative | undefined {
  if (!(error instanceof Error)) return undefined;
  const status = error instanceof CreativeError ? error.status : FAULTS.find(([type]) => error instanceof type)?.[1];
  return status && { status, reason: error.message };
}

/** For example `300×250`. */
export function sizeText({ width, height }: Size): string {
  return `${hundredths(width)}×${hundredths(height)}`;
}

const hundredths = (length: number) => Math.round(length * 100) / 100;

export function areaOf({ width, height }: Size): number {
  return width * height;
}

/** @throws CreativeError if the HTTP status is not 2xx. */
export function requireSuccess(status: number, url: string): void {
  if (status >= 200 && status < 300) return;
  if (status === 404 || status === 410)
    throw new CreativeError(`${url} answered with HTTP status ${status}: the creative does not exist there.`, {
      status: 'not_found',
    });
  throw new CreativeError(`${url} answered with HTTP status ${status} instead of the creative.`);
}

/** @returns the size in whole pixels. @throws CreativeError if it is empty or too large. */
export function checkedSize({ width, height }: Size): Size {
  const size = { width: Math.round(width), height: Math.round(height) };
  if (!(size.width >= 1 && size.height >= 1))
    throw new CreativeError(`The creative has no area: its size is ${sizeText({ width, height })}.`);
  if (size.width > AD_SIDE_MAX || size.height > AD_SIDE_MAX)
    throw new CreativeError(
      `The creative is ${size.width} × ${size.height} pixels; the maximum is ${AD_SIDE_MAX} × ${AD_SIDE_MAX}.`,
    );
  return size;
}
