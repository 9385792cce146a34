import type { Phase } from '../../contract/captureProtocol.ts';
import type { Device } from '../../domain/devices.ts';
import type { ScreenshotFailure } from '../../domain/states.ts';
import type { CreativeFrame } from '../creative/creative.ts';
import type { Burden } from '../memory/watchdog.ts';

/** A box in CSS pixels, from the top left corner of the document. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Why something is thought to be an ad slot; strongest first. */
export type SlotEvidence = 'gpt' | 'prebid' | 'adsense' | 'amp' | 'attribute' | 'frame' | 'iab_size';

/** One place on the page that may hold an ad, as it goes into the provenance record. */
export interface SlotCandidate {
  readonly box: Box;
  /** Sizes the page declares for it, else the size of the box. */
  readonly sizes: readonly (readonly [number, number])[];
  readonly evidence: readonly SlotEvidence[];
  /** A selector or element id that a person can find it by. */
  readonly element: string;
  readonly visible: boolean;
  readonly collapsed: boolean;
  readonly sticky: boolean;
  readonly covered: boolean;
}

/** A candidate judged for one ad. `reasons` says in words what counted for and against it. */
export interface ScoredCandidate extends SlotCandidate {
  readonly score: number;
  readonly size: readonly [number, number];
  readonly reasons: readonly string[];
}

/** A picture of an ad standing in a page: PNG of the device's viewport in device pixels. */
export interface Picture {
  readonly status: 'uploaded';
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
  readonly chosen: ScoredCandidate;
  readonly candidates: readonly ScoredCandidate[];
  /** The ad's box inside the picture, device pixels; what a check of the pixels looks at. */
  readonly adBox: Box;
  /** How far the ad was scaled down to fit; 1 is its own size. Never above 1. */
  readonly scale: number;
  readonly mode: 'composed' | 'browser';
  readonly capturedAt: Date;
}

export interface Unplaced {
  readonly status: ScreenshotFailure;
  /** In words, for the user. */
  readonly reason: string;
  readonly candidates: readonly ScoredCandidate[];
  /** The browser lacked time; what else it was doing then may be the cause. */
  readonly isLate?: boolean;
}

/** A page that is open and settled, with its slots found. */
export interface OpenPage {
  readonly status: 'ready';
  readonly finalUrl: string;
  readonly candidates: readonly SlotCandidate[];
  /** Milliseconds spent, by phase (`navigate`, `load`, `consent`, `scroll`, `settle`, `find`; some overlap), for metrics. */
  readonly phases: Readonly<Partial<Record<Phase, number>>>;
  /** Puts one frame of an ad into its best slot and takes the picture; the page is as before afterwards. */
  place(frame: CreativeFrame): Promise<Picture | Unplaced>;
  close(): Promise<void>;
}

/** A page that cannot show ads: with nothing open that would have to be closed. */
export interface ClosedPage extends Unplaced {
  readonly finalUrl: string;
}

export interface PageOpener {
  readonly browserVersion: string;
  /** Never throws for what a site does. @throws Error when the browser ended meanwhile; the next call starts another. */
  open(site: string, device: Device, options?: { readonly signal?: AbortSignal }): Promise<OpenPage | ClosedPage>;
  /** The browser, if there is one; when it is ended its pages are lost. */
  burdens(): readonly Burden[];
  close(): Promise<void>;
}
