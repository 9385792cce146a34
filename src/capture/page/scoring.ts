import { GOES_IN_SCALED, isOversized, minScaleOf } from '../../domain/adFit.ts';
import type { AdSize } from '../../domain/ads.ts';
import type { SlotFormat } from '../../domain/slotFormats.ts';
import type { ScoredCandidate, SlotCandidate } from './page.ts';
import {
  type AdAndScreen,
  FEATURE_NAMES,
  type Features,
  featuresOf,
  isInPage,
  isNearSize,
  isTallInRow,
  MAX_COLUMN_WIDTH,
  NONE_FROM,
  POINTS,
  POINTS_PER_LOGIT,
  SAME_SIZE_PX,
  type SlotFit,
  WEIGHTS,
  weighted,
} from './slotFeatures.ts';
import type { SlotKind } from './slotTable.ts';

type SlotSize = readonly [width: number, height: number];

export interface ScoringRequest extends AdAndScreen {
  /** Otherwise a slot takes the ad at its own size or not at all. A film that is larger than any slot is always scaled. */
  readonly allowScaling: boolean;
  /** Whether the lines of the page are vertical. */
  readonly isVertical?: boolean;
  /** Only slots of this format are considered. Default: all. */
  readonly format?: SlotFormat | undefined;
}

export interface ScorableSlot {
  readonly candidate: SlotCandidate;
}

export interface ScoredSlot<S extends ScorableSlot> {
  readonly slot: S;
  readonly scored: ScoredCandidate;
  /** The scale that the ad would get; null if the slot cannot hold it. */
  readonly scale: number | null;
}

/** A slot with what the weights are applied to. */
export interface JudgedSlot<S extends ScorableSlot> {
  readonly slot: S;
  readonly fit: SlotFit;
  readonly features: Features;
  /** Why the slot cannot hold the ad; undefined if it can. */
  readonly problem: string | undefined;
}

/** The smallest scale for an ad whose size the slot declares. */
const MIN_NARROWED_SCALE = 0.85;
/** A fluid slot that is wider than a column is a row of the page, and takes ads up to this height. */
const MAX_ROW_HEIGHT = 400;
/** The share of the width that an ad must fill in a slot of which only the space is known. */
const MIN_FILLED_WIDTH = 0.5;
/** A slot that is smaller by such a part is rounded, not made for another size. */
const ROUNDED_SCALE = 0.985;
/** Below this likelihood, a slot in the page is compared with anchors by its score. */
const UNLIKELY_BELOW = 0.05;
/** The share of a slot's width that must be on the screen. */
const MIN_ON_SCREEN_SHARE = 0.5;

/** Scores every slot for one ad. The best slot comes first; slots that cannot hold the ad come last. */
export function scoreSlots<S extends ScorableSlot>(slots: readonly S[], request: ScoringRequest): ScoredSlot<S>[] {
  const judged = judgeSlots(slots, request).map((one) => ({ ...one, points: weighted(one.features, POINTS) }));
  const oddsOf = ({ points, problem }: (typeof judged)[number]) =>
    problem === undefined ? Math.exp(points / POINTS_PER_LOGIT) : 0;
  // The 1 stands for "none of them".
  const all = judged.reduce((sum, one) => sum + oddsOf(one), 1);
  const isDoubtful = !request.allowScaling && 1 / all > NONE_FROM;
  return judged
    .map((one): ScoredSlot<S> => {
      const { slot, fit, features, points } = one;
      const doubt = isDoubtful && fit.kind !== 'scaled' ? 'hardly meant for such an ad' : undefined;
      const problem = one.problem ?? doubt;
      const reasons = [...(problem === undefined ? [] : [problem]), ...reasonsOf(features)];
      const likelihood = Math.round((oddsOf(one) / all) * 1_000) / 1_000;
      const score = Math.round(points * 10) / 10;
      const scored = { ...slot.candidate, score, likelihood, size: fit.size, reasons, problem };
      return { slot, scored, scale: problem === undefined ? fit.scale : null };
    })
    .sort((one, two) => rank(two) - rank(one) || two.scored.score - one.scored.score);
}

export function judgeSlots<S extends ScorableSlot>(slots: readonly S[], request: ScoringRequest): JudgedSlot<S>[] {
  const fitted = slots.map((slot) => {
    const fit = fitOf(slot.candidate, request);
    return {
      slot,
      fit,
      problem: unusableReason(slot.candidate, request) ?? fit.problem ?? tallReason(slot.candidate, fit, request),
    };
  });
  return fitted.map((one) => {
    const isBefore = ({ slot: { candidate }, fit, problem }: typeof one) =>
      problem === undefined &&
      fit.kind === one.fit.kind &&
      isInPage(candidate) &&
      candidate.box.y < one.slot.candidate.box.y;
    const features = featuresOf(one.slot.candidate, one.fit, request, fitted.filter(isBefore).length);
    // That a format lies outside of the layout counts against it only if the client does not ask for it.
    return { ...one, features: request.format === undefined ? features : { ...features, outside_layout: 0 } };
  });
}

/** The reasons for and against the slot, the most important first. */
function reasonsOf(features: Features): string[] {
  return FEATURE_NAMES.map((name) => ({ says: WEIGHTS[name].says, points: POINTS[name] * (features[name] ?? 0) }))
    .filter(({ points }) => Math.abs(points) >= 0.5)
    .toSorted((one, two) => Math.abs(two.points) - Math.abs(one.points))
    .map(({ says, points }) => `${says} (${signed(points)})`);
}

/**
 * Slots in the page that take the ad at its own size come before anchors and other formats outside of its layout, unless they are
 * hardly ever right. Then come slots that need scaling, then players, and last the unusable ones, at any score.
 */
function rank({ scale, scored }: ScoredSlot<ScorableSlot>): number {
  // Video ads use the players, which have the same numbers for all ads.
  if (scored.kind === 'in_stream') return 1;
  if (scale === null) return 0;
  if (scale !== 1) return 2;
  return isInPage(scored) && scored.likelihood >= UNLIKELY_BELOW ? 4 : 3;
}

/**
 * Scales the ad to the width of the slot's box. A declared size may be wider than the box and reach beyond the edge of a small
 * screen, which then zooms the whole page out.
 * @returns undefined if the ad fits on the screen unscaled, or would become much smaller.
 */
export function narrowToBox<S extends ScorableSlot>(
  one: ScoredSlot<S>,
  { ad, viewport, allowScaling }: ScoringRequest,
): ScoredSlot<S> | undefined {
  if (!allowScaling && !isOversized(ad)) return undefined;
  const { box } = one.scored;
  const width = ad.width * (one.scale ?? 0);
  if (width <= box.width || box.x + width <= viewport.width || box.width < width * MIN_NARROWED_SCALE) return undefined;
  const scale = box.width / ad.width;
  const reason = `${Math.round(width)} wide, which exceeds the screen: scaled to a width of ${box.width}`;
  return { ...one, scale, scored: { ...one.scored, reasons: [...one.scored.reasons, reason] } };
}

function signed(value: number): string {
  const rounded = Math.round(value * 10) / 10;
  return rounded > 0 ? `+${rounded}` : String(rounded).replace('-', '−');
}

function fitOf(candidate: SlotCandidate, { ad, viewport, allowScaling }: ScoringRequest): SlotFit {
  const { fluid, sizeTrust = 5, box } = candidate;
  const sizes = sizesOf(candidate);
  const own: SlotSize = [ad.width, ad.height];
  if (sizes.some((size) => isNearSize(size, own))) return { kind: 'exact', size: own, scale: 1 };
  const larger = sizes
    .filter(([width, height]) => width >= ad.width - SAME_SIZE_PX && height >= ad.height - SAME_SIZE_PX)
    .sort(byArea);
  const room = larger.find(([width]) => sizeTrust > 1 || ad.width >= MIN_FILLED_WIDTH * width);
  if (room !== undefined) return { kind: 'room', size: room, scale: 1 };
  if (fluid && box.width >= ad.width - SAME_SIZE_PX && ad.height <= maxFluidHeight(candidate, viewport.height))
    return { kind: 'fluid', size: own, scale: 1 };
  const [wider] = larger;
  if (wider !== undefined)
    return { kind: 'none', size: wider, scale: null, problem: `made for ${named(wider)}, not for ${named(own)}` };
  const scaled = scaledFit(fluid ? [...sizes, [box.width, viewport.height]] : sizes, ad);
  if (allowScaling || scaled.scale === null || isOversized(ad)) return scaled;
  if (scaled.scale === 1)
    return { ...scaled, kind: 'none', scale: null, problem: 'a row of the page, too low for such an ad' };
  if (scaled.scale >= ROUNDED_SCALE) return { ...scaled, kind: 'room', scale: 1 };
  const percent = Math.floor(scaled.scale * 100);
  return { ...scaled, kind: 'none', scale: null, problem: `${named(own)} ${GOES_IN_SCALED} ${percent} %` };
}

/** @returns why a half page or skyscraper does not belong into this column, unless the slot is as high or declares its size. */
function tallReason(
  { box, sizeTrust = 5, surroundings }: SlotCandidate,
  fit: SlotFit,
  request: ScoringRequest,
): string | undefined {
  const isRow = isTallInRow(request, { width: surroundings?.room ?? 0, height: box.height });
  const isMadeForIt = fit.kind === 'exact' && sizeTrust > 1;
  return isRow && !isMadeForIt ? 'too wide for a tall ad, which stands beside the content' : undefined;
}

/** A tall ad does not go into a wide row. */
function maxFluidHeight({ box }: SlotCandidate, viewportHeight: number): number {
  return box.width > MAX_COLUMN_WIDTH ? Math.min(viewportHeight, MAX_ROW_HEIGHT) : viewportHeight;
}

/** The declared sizes; without any, the size of the box. */
function sizesOf({ sizes, box, collapsed }: SlotCandidate): readonly SlotSize[] {
  if (sizes.length > 0 || collapsed) return sizes;
  return [[box.width, box.height]];
}

function scaledFit(sizes: readonly SlotSize[], ad: AdSize): SlotFit {
  const scaleIn = ([width, height]: SlotSize) => Math.min(1, width / ad.width, height / ad.height);
  const size = sizes.toSorted((one, two) => scaleIn(two) - scaleIn(one))[0] ?? [0, 0];
  const scale = scaleIn(size);
  if (scale < minScaleOf(ad))
    return { kind: 'none', size, scale: null, problem: `too small for ${named([ad.width, ad.height])}` };
  return { kind: 'scaled', size, scale };
}

interface FormatRule {
  takes(ad: AdSize, request: ScoringRequest): boolean;
  /** Continues "which takes". */
  readonly says: string;
}

/** CSS pixels. */
const ANCHOR_HEIGHT_MAX = 130;
/** Ads that are sold for interstitials alone: CSS pixels. */
const INTERSTITIAL_ADS = new Set(['320x480', '480x320', '768x1024', '1024x768']);
/** An ad that fills this share of the screen in both directions is a full-screen ad. */
const FULL_SCREEN_SHARE = 0.85;

/** The ads that such a slot takes. Ads in anchors do not move, and only a client who asks for it gets a rectangle in an interstitial. */
const FORMATS: Readonly<Partial<Record<SlotKind, FormatRule>>> = {
  anchor: {
    takes: ({ height }, { ad }) => height <= ANCHOR_HEIGHT_MAX && ad.isVideo !== true,
    says: `images and HTML of at most ${ANCHOR_HEIGHT_MAX} pixels in height, and no videos`,
  },
  rail: {
    takes: ({ width, height }) => width <= 320 && height >= 240,
    says: 'tall ads of at most 320 pixels in width',
  },
  interstitial: {
    takes: (ad, { format, viewport }) =>
      INTERSTITIAL_ADS.has(`${ad.width}x${ad.height}`) ||
      (ad.width >= FULL_SCREEN_SHARE * viewport.width && ad.height >= FULL_SCREEN_SHARE * viewport.height) ||
      (format === 'interstitial' && ad.width >= 250 && ad.height >= 200),
    says: 'full-screen ads, 320×480, 480×320 and 768×1024, and rectangles if the request asks for the format',
  },
  skin: { takes: ({ width, height }) => width >= 1_000 && height >= 500, says: 'ads from 1000×500' },
};

function unusableReason(candidate: SlotCandidate, request: ScoringRequest): string | undefined {
  const { ad, viewport, isVertical = false, format } = request;
  const { kind = 'display' } = candidate;
  if (format !== undefined && kind !== format) return `of the format ${kind}, and the request asks for ${format}`;
  if (kind === 'native' || kind === 'video')
    return `a unit for ${kind === 'native' ? 'native ads' : 'videos'}, not for display ads`;
  if (kind === 'in_stream') return 'a video player, not for display ads';
  const rule = FORMATS[kind];
  if (rule?.takes(ad, request) === false) return `a slot of the format ${kind}, which takes ${rule.says}`;
  const { visible, collapsed, box } = candidate;
  if (!visible && !collapsed) return 'not shown on this device';
  if (collapsed && kind === 'interstitial') return 'an interstitial that the page does not show';
  // A page of vertical lines scrolls to the side, so what is beyond it is shown like what is below another page's screen.
  const [start, length, room] = isVertical ? [box.y, box.height, viewport.height] : [box.x, box.width, viewport.width];
  if (collapsed) return start >= room - 1 ? 'beyond the side of the screen' : undefined;
  const seen = Math.min(start + length, room) - Math.max(start, 0);
  return seen < Math.min(length, room) * MIN_ON_SCREEN_SHARE ? 'beyond the side of the screen' : undefined;
}

function byArea([w1, h1]: SlotSize, [w2, h2]: SlotSize): number {
  return w1 * h1 - w2 * h2;
}

function named([width, height]: SlotSize): string {
  return `${Math.round(width)}×${Math.round(height)}`;
}
