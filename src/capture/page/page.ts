import type { Phase } from '../../contract/captureProtocol.ts';
import type { Location } from '../../contract/locations.ts';
import type { RuleReport } from '../../contract/siteRules.ts';
import type { AdSize } from '../../domain/ads.ts';
import type { Device } from '../../domain/devices.ts';
import type { PageAccess } from '../../domain/pageAccess.ts';
import type { OtherAds, PlacementOptions } from '../../domain/screenshotOptions.ts';
import type { AppliedRule } from '../../domain/siteRules.ts';
import type { SlotFormat } from '../../domain/slotFormats.ts';
import type { ScreenshotFailure } from '../../domain/states.ts';
import type { Warning } from '../../domain/warnings.ts';
import type { EgressFailure } from '../../egress/errors.ts';
import type { PlayerLook } from '../compose/inStream.ts';
import type { CreativeFrame, Size } from '../creative/creative.ts';
import type { MemoryConsumer } from '../memory/watchdog.ts';
import type { GivenFile } from './givenPage.ts';
import type { Rect } from './inPage/visibility.ts';
import type { SlotReport } from './siteRules.ts';

/** A box in CSS pixels, from the top left corner of the document. */
export type Box = Readonly<Rect>;

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
  'player',
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
  /** Fixed to the window. */
  readonly sticky: boolean;
  readonly covered: boolean;
  /** Default: `display`. */
  readonly kind?: SlotFormat;
  /** Accepts any ad that fits its width. Default: false. */
  readonly fluid?: boolean;
  /**
   * How sure the sizes are: 5 declared by a script's slot, 4 by attributes or the box, 3 in comments, 2 in names, 1 by the space
   * alone. Default: 5. The sizes of names begin with the likeliest.
   */
  readonly sizeTrust?: number;
  /** Absent for an element that the client chose and the search did not find. */
  readonly surroundings?: SlotSurroundings;
}

/** Facts about a slot besides its sizes. */
export interface SlotSurroundings {
  /** How clearly its id and classes speak of an ad. */
  readonly name: 'ad' | 'perhaps' | 'position' | 'none';
  /** Its content while no ad is in it. */
  readonly content: 'nothing' | 'label' | 'ad' | 'text' | 'content';
  /** CSS pixels across that it may take. */
  readonly room: number;
  /** CSS pixels from the first headline of the page down to the slot, negative above it; null without a headline. */
  readonly belowHeadline: number | null;
  readonly inArticle: boolean;
  readonly inFooter: boolean;
  /** After the footer of the page, where scripts keep boxes that no reader sees. */
  readonly afterFooter: boolean;
  /** Among links of the site, buttons for sharing, or beside the name of a sponsor. */
  readonly inMenu: boolean;
  /** Its names say that it is for another kind of device. */
  readonly forOtherDevice: boolean;
}

/** A candidate with its score for one ad. `reasons` lists what counted for and against it. */
export interface ScoredCandidate extends SlotCandidate {
  readonly score: number;
  /** The probability that a person would choose this slot, 0…1, estimated from labeled pages. */
  readonly likelihood: number;
  readonly size: readonly [number, number];
  readonly reasons: readonly string[];
  /** Why the slot cannot hold the ad; undefined if it can. */
  readonly problem?: string | undefined;
}

/** A frame with what decides where it is shown. */
export interface AdFrame extends CreativeFrame {
  /** A video is shown in a video player of the page. Default: false. */
  readonly isVideo?: boolean;
}

/** An ad of a group, of which one picture shows all ads. */
export interface AdOfGroup {
  readonly frame: AdFrame;
  readonly options: PlacementOptions;
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
  /** 1 is the ad's own size; less if it was scaled down to fit. Above 1 only for a video in a larger player. */
  readonly scale: number;
  /** How the picture shows the frames of a video; undefined if it shows them alone. */
  readonly player?: PlayerLook | undefined;
  readonly mode: 'composed' | 'browser';
  readonly capturedAt: Date;
  /** Changes of the page for this picture, and other facts that its reader should know. */
  readonly warnings: readonly Warning[];
  /** The effect of the slot of a site rule, if there is one. */
  readonly slotReport?: SlotReport | undefined;
}

export interface PlacementFailure {
  readonly status: ScreenshotFailure;
  /** A sentence for the user. */
  readonly reason: string;
  readonly candidates: readonly ScoredCandidate[];
  /** The browser did not answer in time, perhaps because of its other work. */
  readonly timedOut?: boolean;
  /** As in {@link Picture}. */
  readonly slotReport?: SlotReport | undefined;
}

export interface PageWish {
  /** CSS pixels. */
  readonly largest?: Size;
  /** Pixels for each CSS pixel, fewer where the picture would be too large. 1 unless given. */
  readonly ratio?: number | undefined;
}

/** The page without an ad: a PNG of it from its top left corner. */
export interface PagePicture {
  readonly png: Buffer;
  readonly width: number;
  readonly height: number;
  readonly capturedAt: Date;
  /** The whole page, CSS pixels. It may be larger than the largest picture. */
  readonly page: AdSize;
}

export interface SlotOfRule {
  readonly report: SlotReport;
  /** Among the judged candidates, from 0; -1 if it is none of them. */
  readonly index: number;
}

/** A page that is open and settled, with its slots found. */
export interface OpenPage {
  readonly status: 'ready';
  readonly finalUrl: string;
  /** The IP address from which the page was opened, if it is known. */
  readonly exitAddress?: string | null;
  readonly candidates: readonly SlotCandidate[];
  /** The effects of site rules before an ad was placed. */
  readonly ruleReports?: readonly RuleReport[];
  /** Milliseconds spent, by phase (`navigate`, `load`, `consent`, `scroll`, `settle`, `find`; some overlap), for metrics. */
  readonly phases: Readonly<Partial<Record<Phase, number>>>;
  /** Places one frame of an ad into its best slot, takes the picture and restores the page. @param options default: {@link DEFAULT_OPTIONS} */
  place(frame: AdFrame, options?: PlacementOptions): Promise<Picture | PlacementFailure>;
  /**
   * Places all ads at the same time, the larger ones first, and takes one picture. Those that find no slot are not in it.
   * @returns the results in the order of the ads, with the same PNG for all that are in the picture.
   */
  placeTogether(ads: readonly AdOfGroup[]): Promise<readonly (Picture | PlacementFailure)[]>;
  /** Judges the slots for ads of this size. Places nothing. @throws Error if the page is lost or does not answer. */
  judge(size: AdSize): Promise<readonly ScoredCandidate[]>;
  /** The slot of a site rule for this size; undefined without one. @throws as {@link judge}. */
  slotOfRule?(size: AdSize): Promise<SlotOfRule | undefined>;
  /** Takes the picture without an ad. @throws as {@link judge}. */
  capture(wanted?: PageWish): Promise<PagePicture>;
  close(): Promise<void>;
}

/** A page that cannot show ads. It holds nothing open. */
export interface ClosedPage extends PlacementFailure {
  readonly finalUrl: string;
  readonly exitAddress?: string | null;
  readonly ruleReports?: readonly RuleReport[];
  /** Undefined if no document of the site arrived. */
  readonly picture?: PagePicture | undefined;
}

export interface OpenOptions {
  readonly signal?: AbortSignal;
  /** Default: `hide`. */
  readonly otherAds?: OtherAds;
  /** The browser behaves as one in this country. Default: English, and the time zone of the machine. */
  readonly location?: Location | undefined;
  /** The way out of the page. Default: that of the browser. */
  readonly exit?: PageExit | undefined;
  /** Only the origin of the site gets them. */
  readonly access?: PageAccess | undefined;
  /** Those of the page, the most specific first. Their cookies and headers are in `access`. */
  readonly rules?: readonly AppliedRule[] | undefined;
  /** Is shown as the page, and nothing is loaded from the network. */
  readonly given?: GivenFile | undefined;
  /** Whether the page is opened by http if https is refused. */
  readonly mayUseHttp?: boolean | undefined;
}

export interface PageExit {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly failures: readonly EgressFailure[];
}

export interface PageOpener {
  readonly browserVersion: string;
  /** Failures of the site are results. @throws Error if the browser has ended; the caller then needs another opener. */
  open(site: string, device: Device, options?: OpenOptions): Promise<OpenPage | ClosedPage>;
  /** The browser process, if it runs. Ending it loses its pages. */
  memoryConsumers(): readonly MemoryConsumer[];
  close(): Promise<void>;
}
