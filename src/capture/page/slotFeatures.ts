/** The facts that decide between slots, their weights, and what each means. `make fit` (examples/gallery/fit.ts) compares the weights with fitted ones. */
import { EVIDENCE_KINDS, type SlotCandidate, type SlotEvidence } from './page.ts';

/** CSS pixels. */
export interface AdAndScreen {
  readonly ad: { readonly width: number; readonly height: number; readonly isVideo?: boolean };
  readonly viewport: { readonly width: number; readonly height: number };
}

/** How an ad goes into a slot. */
export interface SlotFit {
  /** `room`: a slot for larger ads; `fluid`: any height; `scaled`: only if the ad becomes smaller; `none`: not at all. */
  readonly kind: 'exact' | 'room' | 'fluid' | 'scaled' | 'none';
  /** The size of the slot that the ad takes, CSS pixels. */
  readonly size: readonly [width: number, height: number];
  readonly scale: number | null;
  /** Why the ad does not go in, in words for the user; undefined if it does. */
  readonly problem?: string;
}

/** How far two sizes may differ and still be the same: borders, paddings and rounding take that much. CSS pixels. */
export const SAME_SIZE_PX = 4;

/** Weights of a feature's value in tenths of a logit: 10 points make a slot 2.7 times as likely. The reasons contain `says`. */
interface Weight {
  readonly points: number;
  readonly says: string;
}

const weight = (points: number, says: string): Weight => ({ points, says });

export const WEIGHTS = {
  slot: weight(-16, 'a place that looks like an ad slot'),
  exact: weight(35.9, 'made for this size'),
  filled: weight(27.5, 'the share of the slot that the ad fills'),
  much_wider: weight(-2.9, 'more than twice as wide as the ad'),
  fluid: weight(15.8, 'accepts any height'),
  scaled: weight(-40, 'the ad must be scaled down'),
  gpt: weight(8.3, 'declared to Google Publisher Tag'),
  prebid: weight(14.7, 'declared to Prebid'),
  adsense: weight(8.8, 'an AdSense unit'),
  amp: weight(14, 'an AMP ad'),
  network: weight(10.6, 'markup of an ad network'),
  linked_image: weight(6, 'a linked image of an ad size'),
  attribute: weight(4.6, 'its name or attributes refer to ads'),
  frame: weight(6, 'an iframe of an ad'),
  iab_size: weight(6, 'an empty box of a standard size'),
  sizes_in_text: weight(-6.6, 'its sizes come from a comment or its text'),
  sizes_in_name: weight(-0.5, 'its sizes come only from its name'),
  later_size: weight(-7.4, 'its name suggests other sizes first'),
  sizes_of_space: weight(-18.1, 'its sizes come only from the available space'),
  many_sizes: weight(-5.9, 'accepts several sizes'),
  largest_size: weight(7.2, 'among its largest sizes'),
  reserved: weight(3.2, 'keeps the space for the ad free'),
  box_of_size: weight(8.8, 'its box has the size of the ad'),
  covered: weight(-15, 'covered by another element'),
  outside_layout: weight(-28.3, 'outside of the layout of the page'),
  named_ad: weight(17.4, 'its name identifies it as an ad'),
  named_position: weight(-4.9, 'its name describes its position'),
  labelled: weight(7.3, 'labelled as an advertisement'),
  holds_ad: weight(-12.4, 'contains an image or an iframe'),
  holds_text: weight(-8.2, 'contains text'),
  banner_at_top: weight(10.8, 'a banner at the top'),
  rectangle_at_top: weight(-17.4, 'a rectangle in a row above the content'),
  tall_in_row: weight(-20, 'a tall ad in a row of the page'),
  from_headline: weight(-8.6, 'screens from the first headline, as a logarithm'),
  above_headline: weight(1.9, 'above the first headline'),
  in_article: weight(7.3, 'in the article'),
  in_footer: weight(-10.7, 'in the footer'),
  after_footer: weight(-20, 'after the footer of the page'),
  in_menu: weight(-15, 'in a menu, or in the place of a sponsor'),
  other_device: weight(-13.1, 'named for another kind of device'),
  after_others: weight(-7.4, 'after other slots of this kind'),
  rectangle_beside: weight(10.8, 'beside the content'),
  width_of_room: weight(8.7, 'as wide as the column'),
} satisfies Readonly<Record<string, Weight>>;

export type Feature = keyof typeof WEIGHTS;
export type Features = Readonly<Partial<Record<Feature, number>>>;

export const FEATURE_NAMES = Object.keys(WEIGHTS) as Feature[];
/** The points of the table alone. */
export const POINTS = Object.fromEntries(FEATURE_NAMES.map((name) => [name, WEIGHTS[name].points])) as Readonly<
  Record<Feature, number>
>;
/** Points for the natural logarithm of the odds. */
export const POINTS_PER_LOGIT = 10;

/** Above this probability of "none of them", no slot is chosen: no such choice was right on labeled pages (`make fit`). */
export const NONE_FROM = 0.9;

/** A column beside the content is not wider. CSS pixels. */
export const MAX_COLUMN_WIDTH = 450;
/** CSS pixels. */
const TALL_FROM = 500;
/** The label of a slot may add so much to its height. CSS pixels. */
const HEIGHT_SLACK = 40;
const RECTANGLE_WIDTH = 340;

export function isTall({ width, height }: AdAndScreen['ad']): boolean {
  return height >= TALL_FROM && width < height;
}

/** Half pages and skyscrapers stand beside the content of a desktop page, or in a box of their height. */
export function isTallInRow({ ad, viewport }: AdAndScreen, row: AdAndScreen['ad']): boolean {
  const isDesktop = viewport.width > 2 * MAX_COLUMN_WIDTH;
  return isDesktop && isTall(ad) && row.width > MAX_COLUMN_WIDTH && Math.abs(row.height - ad.height) > HEIGHT_SLACK;
}

/** @param before the number of slots above it that take the ad as well. */
export function featuresOf(slot: SlotCandidate, fit: SlotFit, { ad, viewport }: AdAndScreen, before: number): Features {
  const { box, sizes, evidence, visible, collapsed, covered, sizeTrust = 5 } = slot;
  const { surroundings } = slot;
  const is = (fact: boolean | undefined) => (fact ? 1 : 0);
  const index = sizes.findIndex(([width, height]) => isNearSize([width, height], [ad.width, ad.height]));
  const areas = sizes.map(([width, height]) => width * height);
  const area = ad.width * ad.height;
  const below = surroundings?.belowHeadline ?? null;
  const isRectangle = ad.width <= RECTANGLE_WIDTH && ad.height >= 200;
  const isDesktop = viewport.width > 2 * MAX_COLUMN_WIDTH;
  const signs = EVIDENCE_KINDS.map((one): [SlotEvidence, number] => [one, is(evidence.includes(one))]);
  return {
    slot: 1,
    exact: is(fit.kind === 'exact'),
    filled: fit.kind === 'room' ? Math.min(1, area / (fit.size[0] * fit.size[1])) : 0,
    much_wider: is(fit.kind === 'room' && fit.size[0] >= 2 * ad.width),
    fluid: is(fit.kind === 'fluid'),
    scaled: fit.kind === 'scaled' ? 1 - (fit.scale ?? 0) : 0,
    ...Object.fromEntries(signs),
    sizes_in_text: is(sizeTrust === 3),
    sizes_in_name: is(sizeTrust === 2),
    later_size: sizeTrust === 2 ? Math.max(0, Math.min(4, index)) : 0,
    sizes_of_space: is(sizeTrust === 1),
    many_sizes: Math.log2(Math.max(1, sizes.length)),
    largest_size: index < 0 ? 0 : area / Math.max(area, ...areas),
    reserved: is(visible && box.width >= ad.width - SAME_SIZE_PX && box.height >= ad.height - SAME_SIZE_PX),
    box_of_size: is(!collapsed && isNearSize([box.width, box.height], [ad.width, ad.height])),
    covered: is(covered),
    outside_layout: is(!isInPage(slot)),
    named_ad: is(surroundings?.name === 'ad'),
    named_position: is(surroundings?.name === 'position' || surroundings?.name === 'perhaps'),
    labelled: is(surroundings?.content === 'label'),
    holds_ad: is(surroundings?.content === 'ad'),
    holds_text: is(surroundings?.content === 'text'),
    banner_at_top: is(!isRectangle && box.y < viewport.height / 2),
    tall_in_row: is(isTallInRow({ ad, viewport }, { width: surroundings?.room ?? 0, height: box.height })),
    rectangle_at_top: is(isRectangle && isDesktop && box.y < viewport.height / 2 && box.width > MAX_COLUMN_WIDTH),
    from_headline: below === null ? 0 : Math.log2(1 + Math.abs(below) / viewport.height),
    above_headline: is(below !== null && below < 0),
    in_article: is(surroundings?.inArticle),
    in_footer: is(surroundings?.inFooter),
    after_footer: is(surroundings?.afterFooter),
    in_menu: is(surroundings?.inMenu),
    other_device: is(surroundings?.forOtherDevice),
    after_others: Math.log2(1 + before),
    rectangle_beside: is(
      isRectangle && isDesktop && surroundings !== undefined && surroundings.room <= MAX_COLUMN_WIDTH,
    ),
    width_of_room: surroundings === undefined ? 0 : Math.min(1, ad.width / Math.max(1, surroundings.room)),
  };
}

/** Whether the slot is in the layout of the page. */
export function isInPage({ kind = 'display', sticky }: Pick<SlotCandidate, 'kind' | 'sticky'>): boolean {
  return kind === 'display' && !sticky;
}

/** @param weights points for each feature. @returns the sum for these features. */
export function weighted(features: Features, weights: Readonly<Record<Feature, number>>): number {
  return FEATURE_NAMES.reduce((sum, name) => sum + weights[name] * (features[name] ?? 0), 0);
}

export function isNearSize(
  [width, height]: readonly [number, number],
  [otherWidth, otherHeight]: readonly [number, number],
): boolean {
  return Math.abs(width - otherWidth) <= SAME_SIZE_PX && Math.abs(height - otherHeight) <= SAME_SIZE_PX;
}
