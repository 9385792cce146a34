import type { Phase } from '../../contract/captureProtocol.ts';
import type { Device } from '../../domain/devices.ts';
import type { OtherAds, PlacementOptions } from '../../domain/screenshotOptions.ts';
import type { ScreenshotFailure } from '../../domain/states.ts';
import type { Warning } from '../../domain/warnings.ts';
import type { CreativeFrame } from '../creative/creative.ts';
import type { MemoryConsumer } from '../memory/watchdog.ts';
import type { SlotKind } from './slotTable.ts';

/** A box in CSS pixels, from the top left corner of the document. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Why an element counts as an ad slot, strongest first. */
export const EVIDENCE_KINDS = [
  'gpt',
  'prebid',
  'adsense',
  'amp',
  'network',
  'linked_image',
  'attribute',
  'frame',
  'iab_size',
] as const;
export type SlotEvidence = (typeof EVIDENCE_KINDS)[number];

/** One element of the page that may hold an ad. The provenance record contains it. */
export interface SlotCandidate {
  readonly box: Box;
  /** Sizes that the page declares for the slot, or that its name allows; without any, its box or what its container allows. */
  readonly sizes: readonly (readonly [number, number])[];
  readonly evidence: readonly SlotEvidence[];
  /** A selector or element id by which a person can find it. */
  readonly element: string;
  readonly visible: boolean;
  readonly collapsed: boolean;
  readonly sticky: boolean;
  readonly covered: boolean;
  /** Default: `display`. */
  readonly kind?: SlotKind;
}

/** A candidate with its score for one ad. `reasons` lists what counted for and against it. */
export interface ScoredCandidate extends SlotCandidate {
  readonly score: number;
  readonly size: readonly [number, number];
  readonly reasons: readonly string[];
  /** Why the slot cannot hold the ad; undefined if it can. */
  readonly problem?: string | undefined;
}

/** A picture of an ad in a page: a PNG of the device's viewport in device pixels. */
export interface Picture {
  readonly status: 'uploaded';
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
  readonly chosen: ScoredCandidate;
  readonly candidates: readonly ScoredCandidate[];
  /** The ad's box inside the picture, device pixels. */
  readonly adBox: Box;
  /** 1 is the ad's own size; less if it was scaled down to fit. Never above 1. */
  readonly scale: number;
  readonly mode: 'composed' | 'browser';
  readonly capturedAt: Date;
  /** Changes of the page for this picture, and other facts that its reader should know. */
  readonly warnings: readonly Warning[];
}

export interface PlacementFailure {
  readonly status: ScreenshotFailure;
  /** A sentence for the user. */
  readonly reason: string;
  readonly candidates: readonly ScoredCandidate[];
  /** The browser did not answer in time, perhaps because of its other work. */
  readonly timedOut?: boolean;
}

/** A page that is open and settled, with its slots found. */
export interface OpenPage {
  readonly status: 'ready';
  readonly finalUrl: string;
  readonly candidates: readonly SlotCandidate[];
  /** Milliseconds spent, by phase (`navigate`, `load`, `consent`, `scroll`, `settle`, `find`; some overlap), for metrics. */
  readonly phases: Readonly<Partial<Record<Phase, number>>>;
  /** Places one frame of an ad into its best slot, takes the picture and restores the page. @param options default: {@link DEFAULT_OPTIONS} */
  place(frame: CreativeFrame, options?: PlacementOptions): Promise<Picture | PlacementFailure>;
  close(): Promise<void>;
}

/** A page that cannot show ads. It holds nothing open. */
export interface ClosedPage extends PlacementFailure {
  readonly finalUrl: string;
}

export interface OpenOptions {
  readonly signal?: AbortSignal;
  /** Default: `hide`. */
  readonly otherAds?: OtherAds;
}

export interface PageOpener {
  readonly browserVersion: string;
  /** Failures of the site are results. @throws Error if the browser ended during the call; the next call starts another one. */
  open(site: string, device: Device, options?: OpenOptions): Promise<OpenPage | ClosedPage>;
  /** The browser process, if it runs. Ending it loses its pages. */
  memoryConsumers(): readonly MemoryConsumer[];
  close(): Promise<void>;
}
