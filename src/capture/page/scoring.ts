import type { ScoredCandidate, SlotCandidate, SlotEvidence } from './page.ts';
import type { SlotKind } from './slotTable.ts';

type SlotSize = readonly [width: number, height: number];

export interface ScoringRequest {
  /** CSS pixels. */
  readonly ad: { readonly width: number; readonly height: number };
  readonly viewport: { readonly width: number; readonly height: number };
  /** Otherwise a slot takes the ad at its own size or not at all. A film that is larger than any slot is always scaled. */
  readonly allowScaling: boolean;
}

export interface ScorableSlot {
  readonly candidate: SlotCandidate;
  /** Accepts any ad that fits its width. */
  readonly fluid: boolean;
  /** As in a raw slot: 2 for sizes of the position's name, the likeliest first; 1 for those that the container allows. Default: declared. */
  readonly sizeTrust?: number;
}

export interface ScoredSlot<S extends ScorableSlot> {
  readonly slot: S;
  readonly scored: ScoredCandidate;
  /** The scale that the ad would get; null if the slot cannot hold it. */
  readonly scale: number | null;
}

/** The smallest scale at which an ad is placed. */
const MIN_SCALE = 0.5;
/** Ads larger than any standard slot, such as films in their own resolution, may be scaled further. */
const OVERSIZE = { width: 970, height: 1050, leastScale: 0.15 };
/** The smallest scale for an ad whose size the slot declares. */
const MIN_NARROWED_SCALE = 0.85;
/** A fluid slot that is wider than a sidebar is a row of the page, and takes ads up to this height. */
const MAX_COLUMN_WIDTH = 450;
const MAX_ROW_HEIGHT = 400;
/** The share of the width that an ad must fill in a position that is known only by its name: no rectangle goes into a leaderboard. */
const MIN_FILLED_WIDTH = 0.5;
/** The share of a slot's width that must be on the screen. */
const MIN_ON_SCREEN_SHARE = 0.5;

const EVIDENCE_POINTS: Readonly<Record<SlotEvidence, number>> = {
  gpt: 20,
  prebid: 20,
  adsense: 18,
  amp: 18,
  network: 16,
  linked_image: 12,
  attribute: 10,
  frame: 8,
  iab_size: 4,
};

/** Scores every slot for one ad. The best slot comes first; slots that cannot hold the ad come last. */
export function scoreSlots<S extends ScorableSlot>(slots: readonly S[], request: ScoringRequest): ScoredSlot<S>[] {
  return slots.map((slot) => scoreSlot(slot, request)).sort(better);
}

function better(one: ScoredSlot<ScorableSlot>, two: ScoredSlot<ScorableSlot>): number {
  return rank(two) - rank(one) || two.scored.score - one.scored.score;
}

/**
 * Slots in the page for the ad's own size come before anchors and other formats outside of its layout. Then come slots that need
 * scaling, and last the unusable ones, at any score.
 */
function rank({ scale, scored }: ScoredSlot<ScorableSlot>): number {
  if (scale === null) return 0;
  if (scale !== 1) return 1;
  return isInPage(scored) ? 3 : 2;
}

function isInPage({ kind = 'display' }: SlotCandidate): boolean {
  return kind === 'display';
}

export function scoreSlot<S extends ScorableSlot>(slot: S, request: ScoringRequest): ScoredSlot<S> {
  const { candidate } = slot;
  const fit = fitOf(slot, request);
  const unusable = unusableReason(candidate, request);
  const points: [number, string][] = [[fit.points, fit.reason], ...pointsOf(candidate, request)];
  points.push(doubtOf(slot, request.ad));
  if (unusable !== undefined) points.push([-50, unusable]);
  const score = Math.round(points.reduce((sum, [value]) => sum + value, 0) * 10) / 10;
  const reasons = points.filter(([value]) => value !== 0).map(([value, why]) => `${why} (${signed(value)})`);
  const problem = unusable ?? (fit.scale === null ? fit.reason : undefined);
  return {
    slot,
    scored: { ...candidate, score, size: fit.size, reasons, problem },
    scale: unusable === undefined ? fit.scale : null,
  };
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
  if (!allowScaling && !isOversized([ad.width, ad.height])) return undefined;
  const { box } = one.scored;
  const width = ad.width * (one.scale ?? 0);
  if (width <= box.width || box.x + width <= viewport.width || box.width < width * MIN_NARROWED_SCALE) return undefined;
  const scale = box.width / ad.width;
  const reason = `${Math.round(width)} wide, it would pass the edge of the screen: scaled to ${box.width} wide`;
  return { ...one, scale, scored: { ...one.scored, reasons: [...one.scored.reasons, reason] } };
}

/** Sizes that the page does not declare count less. */
function doubtOf(
  { candidate: { sizes }, sizeTrust = 5, fluid }: ScorableSlot,
  ad: ScoringRequest['ad'],
): [number, string] {
  if (sizeTrust === 1 && !fluid) return [-20, 'nothing but the space tells its sizes'];
  const index = sizes.findIndex(([width, height]) => width === ad.width && height === ad.height);
  if (sizeTrust !== 2) return [0, ''];
  return index > 0
    ? [-6 - Math.min(8, 2 * index), 'its name speaks for other sizes first']
    : [-6, 'nothing but its name tells its sizes'];
}

function signed(value: number): string {
  const rounded = Math.round(value * 10) / 10;
  return rounded > 0 ? `+${rounded}` : String(rounded).replace('-', '−');
}

interface Fit {
  readonly size: SlotSize;
  readonly scale: number | null;
  readonly points: number;
  readonly reason: string;
}

function fitOf({ candidate, fluid, sizeTrust = 5 }: ScorableSlot, { ad, viewport, allowScaling }: ScoringRequest): Fit {
  const sizes = sizesOf(candidate);
  const own: SlotSize = [ad.width, ad.height];
  if (sizes.some((size) => isNear(size, own)))
    return { size: own, scale: 1, points: 50, reason: `takes ${named(own)} exactly` };
  const needed = sizeTrust <= 2 ? MIN_FILLED_WIDTH : 0;
  const room = sizes
    .filter(([width, height]) => width >= ad.width && height >= ad.height && ad.width >= needed * width)
    .sort(byArea)[0];
  if (room !== undefined) {
    const filled = (ad.width * ad.height) / (room[0] * room[1]);
    return { size: room, scale: 1, points: 15 + 20 * filled, reason: `${named(own)} fits into its ${named(room)}` };
  }
  if (fluid && candidate.box.width >= ad.width && ad.height <= maxFluidHeight(candidate, viewport.height))
    return { size: own, scale: 1, points: 25, reason: `takes any height, and ${ad.width} fits its width` };
  const scaled = scaledFit(fluid ? [...sizes, [candidate.box.width, viewport.height]] : sizes, own);
  if (allowScaling || scaled.scale === null || isOversized(own)) return scaled;
  return {
    ...scaled,
    scale: null,
    points: -40,
    reason: `${named(own)} goes in only at ${Math.round(scaled.scale * 100)} %`,
  };
}

/** Rounding and borders take up to a pixel of a slot for an ad of this size. */
function isNear([width, height]: SlotSize, [adWidth, adHeight]: SlotSize): boolean {
  return Math.abs(width - adWidth) <= 1 && Math.abs(height - adHeight) <= 1;
}

/** A tall ad does not go into a wide row. */
function maxFluidHeight({ box }: SlotCandidate, viewportHeight: number): number {
  return box.width > MAX_COLUMN_WIDTH ? Math.min(viewportHeight, MAX_ROW_HEIGHT) : viewportHeight;
}

function isOversized([width, height]: SlotSize): boolean {
  return width > OVERSIZE.width || height > OVERSIZE.height;
}

/** The declared sizes; without any, the size of the box. */
function sizesOf({ sizes, box, collapsed }: SlotCandidate): readonly SlotSize[] {
  if (sizes.length > 0 || collapsed) return sizes;
  return [[box.width, box.height]];
}

function scaledFit(sizes: readonly SlotSize[], ad: SlotSize): Fit {
  const scaleIn = ([width, height]: SlotSize) => Math.min(1, width / ad[0], height / ad[1]);
  const size = sizes.toSorted((one, two) => scaleIn(two) - scaleIn(one))[0] ?? [0, 0];
  const scale = scaleIn(size);
  if (scale < minScaleOf(ad)) return { size, scale: null, points: -40, reason: `too small for ${named(ad)}` };
  return { size, scale, points: 20 * scale - 20, reason: `${named(ad)} goes in at ${Math.round(scale * 100)} %` };
}

function minScaleOf(ad: SlotSize): number {
  return isOversized(ad) ? OVERSIZE.leastScale : MIN_SCALE;
}

function pointsOf(candidate: SlotCandidate, { viewport }: ScoringRequest): [number, string][] {
  const { evidence, visible, collapsed, sticky, covered, box } = candidate;
  const [strongest] = evidence;
  const strength = strongest === undefined ? 0 : EVIDENCE_POINTS[strongest];
  const screens = Math.max(0, box.y) / viewport.height;
  return [
    [strength, `known by ${evidence.join(', ')}`],
    [Math.min(6, 2 * Math.max(0, evidence.length - 1)), 'more than one sign of it'],
    [visible ? 15 : 0, 'visible'],
    [15 * Math.max(0, 1 - screens / 5), 'near the top'],
    [collapsed ? -10 : 0, 'collapsed, its size has to be restored'],
    [sticky ? -35 : 0, 'sticks to the window'],
    [sticky || isInPage(candidate) ? 0 : -35, `outside of the layout of the page: ${candidate.kind}`],
    [covered ? -20 : 0, 'covered by something'],
  ];
}

/** The formats that such a slot takes, by the size of the ad. */
const FORMATS: Readonly<Partial<Record<SlotKind, (ad: { width: number; height: number }) => boolean>>> = {
  anchor: ({ height }) => height <= 130,
  rail: ({ width, height }) => width <= 320 && height >= 240,
  interstitial: ({ width, height }) => width >= 250 && height >= 200,
  skin: ({ width, height }) => width >= 1_000 && height >= 500,
};

function unusableReason(candidate: SlotCandidate, { ad, viewport }: ScoringRequest): string | undefined {
  const { kind = 'display' } = candidate;
  if (FORMATS[kind]?.(ad) === false) return `takes only ads in the format ${kind}`;
  const { visible, collapsed, box } = candidate;
  if (!visible && !collapsed) return 'not shown on this device';
  if (collapsed) return undefined;
  const seen = Math.min(box.x + box.width, viewport.width) - Math.max(box.x, 0);
  return seen < Math.min(box.width, viewport.width) * MIN_ON_SCREEN_SHARE ? 'beyond the side of the screen' : undefined;
}

function byArea([w1, h1]: SlotSize, [w2, h2]: SlotSize): number {
  return w1 * h1 - w2 * h2;
}

function named([width, height]: SlotSize): string {
  return `${Math.round(width)}×${Math.round(height)}`;
}
