/** How one screenshot is taken. The names of the API are in `contract/`. */
import type { Animation } from './animations.ts';
import type { PageAccessNames } from './pageAccess.ts';
import type { SlotFormat } from './slotFormats.ts';

/** `hide`: the page looks as if no ad was delivered. `keep`: other ads load. */
export const OTHER_ADS = ['hide', 'keep'] as const;
export type OtherAds = (typeof OTHER_ADS)[number];

/** `slot`: the page around the slot; `masthead`: as much as fits of the page above the slot, so that the head of the site is in the picture. */
export const PAGE_VIEWS = ['slot', 'masthead'] as const;
export type PageView = (typeof PAGE_VIEWS)[number];

/** A part of the page, CSS pixels from its top left corner. Without a size it is as large as the ad. */
export interface SlotArea {
  readonly x: number;
  readonly y: number;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** A slot that the client chose: a CSS selector, the number of a candidate in the record, from 1, or a part of the page. */
export type ChosenByHand = { readonly selector: string } | { readonly index: number } | { readonly area: SlotArea };

/** With a format, the score chooses among the slots of that format. */
export type SlotChoice = ChosenByHand | { readonly format: SlotFormat };

const FORMAT_PREFIX = 'format:';

const AREA_PREFIX = 'area:';

/** @param text `format:anchor`, `area:x,y,width,height`, the number of a candidate, or a CSS selector. @returns the choice as the API takes it, unchecked. */
export function slotOfText(text: string): Readonly<Record<string, unknown>> {
  const choice = text.trim();
  if (choice.startsWith(AREA_PREFIX)) {
    const [x, y, width, height] = choice.slice(AREA_PREFIX.length).split(',').map(Number);
    return { area: { x, y, width, height } };
  }
  if (choice.startsWith(FORMAT_PREFIX)) return { format: choice.slice(FORMAT_PREFIX.length).trim() };
  return /^\d+$/.test(choice) ? { index: Number(choice) } : { selector: choice };
}

/** @returns the text that {@link slotOfText} reads as the choice; '' for none. */
export function textOfSlot(choice: SlotChoice | null): string {
  if (choice === null) return '';
  if ('format' in choice) return FORMAT_PREFIX + choice.format;
  if ('area' in choice) {
    const { x, y, width, height } = choice.area;
    return AREA_PREFIX + [x, y, ...(width && height ? [width, height] : [])].join();
  }
  return 'index' in choice ? String(choice.index) : choice.selector;
}

/** Options that apply when the page is open. */
export interface PlacementOptions {
  /** Otherwise an ad is shown at its own size or not at all. */
  readonly allowScaling: boolean;
  /** Null: the slot with the highest score. */
  readonly slot: SlotChoice | null;
  /** The whole page instead of the viewport. */
  readonly fullPage: boolean;
  /** Which part of the page a picture of the viewport shows. */
  readonly view: PageView;
  /** Null: only the picture. */
  readonly animation: Animation | null;
}

/** Options that apply to the whole page. Pictures with different ones need a separate page. */
export interface PageOptions {
  readonly otherAds: OtherAds;
  /** The id of a location. Null: the page is opened directly. */
  readonly location: string | null;
  /** The names of the cookies and headers that the page gets. Null: none. */
  readonly access: PageAccessNames | null;
  /** One picture shows all ads of a group. Null: the ad has a picture of its own. */
  readonly group: string | null;
  /** The id of the upload that is the page. Null: the page is opened at its address. */
  readonly givenPage: string | null;
}

export interface ScreenshotOptions extends PlacementOptions, PageOptions {}

/** CSS pixels. The largest picture of a page has this edge. */
export const AREA_MAX = 16_000;
/** No client needs more, and a long selector would be slow on a page. */
export const SELECTOR_MAX = 500;
export const SLOT_INDEX = { min: 1, max: 100 };

export const GROUP_NAME_MAX = 255;
/** With more, hardly a page has a slot for each. */
export const GROUP_ADS_MAX = 8;

export const DEFAULT_OPTIONS: ScreenshotOptions = {
  allowScaling: false,
  slot: null,
  fullPage: false,
  view: 'slot',
  animation: null,
  otherAds: 'hide',
  location: null,
  access: null,
  group: null,
  givenPage: null,
};
