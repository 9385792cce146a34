import type { ScoredCandidate, SlotCandidate, SlotEvidence } from './page.ts';

type Size = readonly [width: number, height: number];

export interface ScoringRequest {
  /** CSS pixels. */
  readonly ad: { readonly width: number; readonly height: number };
  readonly viewport: { readonly width: number; readonly height: number };
}

export interface ScorableSlot {
  readonly candidate: SlotCandidate;
  /** Takes whatever fits its width. */
  readonly fluid: boolean;
}

export interface ScoredSlot<S extends ScorableSlot> {
  readonly slot: S;
  readonly scored: ScoredCandidate;
  /** How far the ad would be scaled down; null where it cannot go. */
  readonly scale: number | null;
  /** In words, why it cannot; undefined where it can. */
  readonly problem: string | undefined;
}

/** An ad that would be smaller than this is not shown at all. */
const LEAST_SCALE = 0.5;
/** But for what is larger than any standard slot: a film in its own resolution is made to be scaled. */
const OVERSIZE = { width: 970, height: 1050, leastScale: 0.15 };
/** An ad that its slot declares is made smaller by little, or not at all. */
const LEAST_NARROWED = 0.85;
/** Of a slot's width, inside the screen. */
const LEAST_SEEN = 0.5;

const EVIDENCE_POINTS: Readonly<Record<SlotEvidence, number>> = {
  gpt: 20,
  prebid: 20,
  adsense: 18,
  amp: 18,
  attribute: 10,
  frame: 8,
  iab_size: 4,
};

/** Judges every slot for one ad: the best first, those that cannot take it last. */
export function scoreSlots<S extends ScorableSlot>(slots: readonly S[], request: ScoringRequest): ScoredSlot<S>[] {
  return slots.map((slot) => scoreSlot(slot, request)).sort(better);
}

function better(one: ScoredSlot<ScorableSlot>, two: ScoredSlot<ScorableSlot>): number {
  return rank(two) - rank(one) || two.scored.score - one.scored.score;
}

/** Own size before scaled before impossible, whatever the points say. */
function rank({ scale }: ScoredSlot<ScorableSlot>): number {
  if (scale === null) return 0;
  return scale === 1 ? 2 : 1;
}

export function scoreSlot<S extends ScorableSlot>(slot: S, request: ScoringRequest): ScoredSlot<S> {
  const { candidate } = slot;
  const fit = fitOf(slot, request);
  const unusable = whyUnusable(candidate, request);
  const points: [number, string][] = [[fit.points, fit.reason], ...pointsOf(candidate, request)];
  if (unusable !== undefined) points.push([-50, unusable]);
  const score = Math.round(points.reduce((sum, [value]) => sum + value, 0) * 10) / 10;
  const reasons = points.filter(([value]) => value !== 0).map(([value, why]) => `${why} (${signed(value)})`);
  return {
    slot,
    scored: { ...candidate, score, size: fit.size, reasons },
    scale: unusable === undefined ? fit.scale : null,
    problem: unusable ?? (fit.scale === null ? fit.reason : undefined),
  };
}

/**
 * The same slot for an ad as wide as the slot's box: a declared size may be wider, and pass the side of a small screen, which
 * then shows the whole page smaller.
 * @returns undefined where the ad stays on the screen as it is, or would have to be much smaller.
 */
export function narrowed<S extends ScorableSlot>(
  one: ScoredSlot<S>,
  { ad, viewport }: ScoringRequest,
): ScoredSlot<S> | undefined {
  const { box } = one.scored;
  const width = ad.width * (one.scale ?? 0);
  if (width <= box.width || box.x + width <= viewport.width || box.width < width * LEAST_NARROWED) return undefined;
  const scale = box.width / ad.width;
  const reason = `${Math.round(width)} wide, it passes the side of the screen: made ${box.width} wide`;
  return { ...one, scale, scored: { ...one.scored, reasons: [...one.scored.reasons, reason] } };
}

function signed(value: number): string {
  const rounded = Math.round(value * 10) / 10;
  return rounded > 0 ? `+${rounded}` : String(rounded).replace('-', '−');
}

interface Fit {
  readonly size: Size;
  readonly scale: number | null;
  readonly points: number;
  readonly reason: string;
}

function fitOf({ candidate, fluid }: ScorableSlot, { ad, viewport }: ScoringRequest): Fit {
  const sizes = sizesOf(candidate);
  const own: Size = [ad.width, ad.height];
  if (sizes.some(([width, height]) => width === ad.width && height === ad.height))
    return { size: own, scale: 1, points: 50, reason: `takes ${named(own)} exactly` };
  const room = sizes.filter(([width, height]) => width >= ad.width && height >= ad.height).sort(byArea)[0];
  if (room !== undefined) {
    const filled = (ad.width * ad.height) / (room[0] * room[1]);
    return { size: room, scale: 1, points: 15 + 20 * filled, reason: `${named(own)} fits into its ${named(room)}` };
  }
  if (fluid && candidate.box.width >= ad.width && ad.height <= viewport.height)
    return { size: own, scale: 1, points: 25, reason: `takes any height, and ${ad.width} fits its width` };
  return scaledFit(fluid ? [...sizes, [candidate.box.width, viewport.height]] : sizes, own);
}

/** What it declares; where it declares nothing, its own box. */
function sizesOf({ sizes, box, collapsed }: SlotCandidate): readonly Size[] {
  if (sizes.length > 0 || collapsed) return sizes;
  return [[box.width, box.height]];
}

function scaledFit(sizes: readonly Size[], ad: Size): Fit {
  const scaleIn = ([width, height]: Size) => Math.min(1, width / ad[0], height / ad[1]);
  const size = sizes.toSorted((one, two) => scaleIn(two) - scaleIn(one))[0] ?? [0, 0];
  const scale = scaleIn(size);
  if (scale < leastScaleOf(ad)) return { size, scale: null, points: -40, reason: `too small for ${named(ad)}` };
  return { size, scale, points: 20 * scale - 20, reason: `${named(ad)} goes in at ${Math.round(scale * 100)} %` };
}

function leastScaleOf([width, height]: Size): number {
  return width > OVERSIZE.width || height > OVERSIZE.height ? OVERSIZE.leastScale : LEAST_SCALE;
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
    [covered ? -20 : 0, 'covered by something'],
  ];
}

function whyUnusable(candidate: SlotCandidate, { viewport }: ScoringRequest): string | undefined {
  const { visible, collapsed, box } = candidate;
  if (!visible && !collapsed) return 'not shown on this device';
  if (collapsed) return undefined;
  const seen = Math.min(box.x + box.width, viewport.width) - Math.max(box.x, 0);
  return seen < Math.min(box.width, viewport.width) * LEAST_SEEN ? 'beyond the side of the screen' : undefined;
}

function byArea([w1, h1]: Size, [w2, h2]: Size): number {
  return w1 * h1 - w2 * h2;
}

function named([width, height]: Size): string {
  return `${Math.round(width)}×${Math.round(height)}`;
}
