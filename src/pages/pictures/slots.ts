/** Explains the choice of the slot: the slots of the page drawn over the picture, and a list of them. */

import { z } from 'zod';
import { findDevice } from '../../domain/devices.ts';
import type { PictureSize } from '../../domain/thumbnails.ts';
import { type Html, type HtmlContent, html } from '../../lib/html.ts';
import { badge, button } from '../parts/components.ts';
import type { Viewer } from '../parts/context.ts';
import { hiddenFields } from '../parts/forms.ts';

const Box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
type Box = z.infer<typeof Box>;

const Candidate = z.object({
  element: z.string().catch(''),
  box: Box,
  size: z.tuple([z.number(), z.number()]).nullish().catch(null),
  score: z.number(),
  evidence: z.array(z.string()).catch([]),
  reasons: z.array(z.string()).catch([]),
  problem: z.string().nullish().catch(null),
});

/** The part of a provenance record that says how the slot was chosen. */
const Choice = z.object({
  device: z.string().catch(''),
  ratio: z.number().positive().catch(1),
  slot: Candidate.nullish().catch(null),
  candidates: z.array(Candidate).catch([]),
  candidates_found: z.number().nullish().catch(null),
  ad_box: Box.nullish().catch(null),
  options: z.object({ full_page: z.boolean() }).nullish().catch(null),
});
type Choice = z.infer<typeof Choice>;

interface FoundSlot extends z.infer<typeof Candidate> {
  /** From 1, the best first; a request can choose a slot by it. */
  readonly number: number;
  readonly isChosen: boolean;
  /** In device pixels of the picture, as far as the record has it; undefined without a picture. */
  readonly place: Box | undefined;
}

export interface FoundSlots {
  readonly slots: readonly FoundSlot[];
  /** How many the page had, including those that were not recorded. */
  readonly found: number;
}

const EVIDENCE: Readonly<Record<string, string>> = {
  gpt: 'Google Publisher Tag',
  prebid: 'Prebid',
  adsense: 'AdSense',
  amp: 'AMP ad',
  network: 'markup of an ad network',
  linked_image: 'linked image',
  attribute: 'name of the element',
  frame: 'frame',
  iab_size: 'standard ad size',
};

/** The font size as a share of the width, for pictures of desktops and of phones, which are shown narrower. */
const LABEL = { wide: 1 / 70, tall: 1 / 30 };

interface OverlayOptions {
  /** The id of each drawn slot is this, `-` and its number. */
  readonly idOf: string;
  /** Where a click on a slot leads. */
  hrefOf(number: number): string;
  /** Drawn in the chosen slot, at its own size in pixels of the picture. */
  readonly ad: { readonly src: string; readonly width: number; readonly height: number } | undefined;
}

/** A picture of a whole page that is wider, CSS pixels, is that of a desktop. */
export const WHOLE_DESKTOP = 700;

export function slotOverlay({ slots }: FoundSlots, { width, height }: PictureSize, options?: OverlayOptions): Html {
  const isWide = width > height || (options !== undefined && width > WHOLE_DESKTOP);
  const unit = width * (isWide ? LABEL.wide : LABEL.tall);
  const drawn = slots.filter(({ place }) => place !== undefined && isInside(place, { width, height }));
  const role = options === undefined ? 'img' : 'group';
  const shapes = drawn.toReversed().map((slot) => drawnSlot(slot, unit, options));
  return html`<svg class="candidates" viewBox="0 0 ${width} ${height}" role="${role}"
    aria-label="${drawn.length} of ${slots.length} slots are in this picture">${shapes}</svg>`;
}

function isInside(box: Box, { width, height }: PictureSize): boolean {
  return box.x < width && box.y < height && box.x + box.width > 0 && box.y + box.height > 0;
}

function drawnSlot({ number, isChosen, size, place }: FoundSlot, unit: number, options?: OverlayOptions): HtmlContent {
  if (place === undefined) return null;
  const { x, y, width, height } = place;
  const text = `${number}${size ? `: ${size[0]}×${size[1]}` : ''}`;
  const wide = (text.length * 0.58 + 0.8) * unit;
  const [left, top] = [Math.max(0, x), Math.max(0, y)];
  const ad = isChosen ? options?.ad : undefined;
  const box = html`${ad && adImage(ad, place)}
    <rect class="box" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(Math.max(height, 2))}"/>
    <rect class="tag" x="${round(left)}" y="${round(top)}" width="${round(wide)}" height="${round(unit * 1.5)}"/>
    <text x="${round(left + unit * 0.4)}" y="${round(top + unit * 1.1)}" font-size="${round(unit)}">${text}</text>`;
  const linked =
    options &&
    html`<a href="${options.hrefOf(number)}" aria-label="Slot ${text}" id="${options.idOf}-${number}">${box}</a>`;
  return html`<g class="${isChosen ? 'chosen' : 'other'}" data-slot="${number}">${linked ?? box}</g>`;
}

/** In the middle of its slot, at the top. */
function adImage({ src, width, height }: NonNullable<OverlayOptions['ad']>, slot: Box): Html {
  const x = slot.x + Math.max(0, slot.width - width) / 2;
  return html`<image href="${src}" x="${round(x)}" y="${round(slot.y)}" width="${width}" height="${height}"/>`;
}

const round = (value: number) => Math.round(value * 10) / 10;

interface ListOptions {
  readonly viewer: Viewer;
  /** Undefined if the screenshot cannot be taken again at the moment. */
  readonly retakePath: string | undefined;
  /** The page to return to. */
  readonly next: string;
  readonly size: PictureSize | undefined;
  /** Without one, the person may use a slot that cannot hold the ad. */
  readonly hasPicture: boolean;
}

export function slotList({ slots, found }: FoundSlots, options: ListOptions): Html {
  const more =
    found > slots.length && html`<p class="meta">The record holds the ${slots.length} best of ${found} slots.</p>`;
  return html`<ol class="slots">${slots.map((slot) => item(slot, options))}</ol>${more}`;
}

function item(slot: FoundSlot, options: ListOptions): Html {
  const { number, element, score, evidence, isChosen, reasons } = slot;
  const known = evidence.map((name) => EVIDENCE[name] ?? name).join(', ');
  const size = slot.size && html`${slot.size[0]} × ${slot.size[1]}, `;
  const used = isChosen && badge('approved', 'Used');
  return html`<li id="slot-${number}"${isChosen && html` class="chosen"`}>
    <p class="bar"><strong>${number}</strong> <span>${size}${placeName(slot, options.size)}</span> ${used}</p>
    ${!isChosen && use(slot, options)}
    <details>
      <summary>Details</summary>
      <div class="meta">
        <p><code>${element}</code>${known !== '' && html`, identified by ${known}`}, score ${score}</p>
        <ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>
      </div>
    </details>
  </li>`;
}

function use({ number, problem }: FoundSlot, { viewer, retakePath, next, hasPicture }: ListOptions): HtmlContent {
  if (retakePath === undefined) return null;
  const fault = problem && html`<p class="meta">It cannot hold the ad: ${problem}.</p>`;
  if (fault && hasPicture) return fault;
  return html`${fault}<form method="post" action="${retakePath}">
    ${hiddenFields(viewer, next)}<input type="hidden" name="slot_index" value="${number}">
    ${button({ label: fault ? 'Use this slot anyway' : 'Use this slot instead' })}
  </form>`;
}

function placeName({ place, box }: FoundSlot, size: PictureSize | undefined): string {
  if (place === undefined || size === undefined) return `${Math.round(box.y)} px from the top of the page`;
  if (isInside(place, size)) return 'in the picture';
  return place.y >= size.height
    ? 'below the picture'
    : place.y + place.height <= 0
      ? 'above the picture'
      : 'beside the picture';
}

/**
 * @param record a provenance record of any version of the service.
 * @param isOfPage whether the picture is that of the page without an ad. @returns undefined if it holds no candidates.
 */
export function foundSlots(record: object | undefined, isOfPage = false): FoundSlots | undefined {
  const { data: choice } = Choice.safeParse(record);
  if (choice === undefined || choice.candidates.length === 0) return undefined;
  const chosen = chosenIndex(choice);
  const slots = choice.candidates.map((candidate, index) => ({
    ...candidate,
    number: index + 1,
    isChosen: index === chosen,
    place: isOfPage
      ? { ...candidate.box, ...widthOf(candidate.box, choice.device, 1) }
      : placeOf(candidate.box, choice),
  }));
  return { slots, found: choice.candidates_found ?? slots.length };
}

/** The chosen slot has more reasons than the candidate if the client chose it, so only its box identifies it. */
function chosenIndex({ slot, candidates }: Choice): number {
  if (!slot) return -1;
  return candidates.findIndex(({ element, box }) => element === slot.element && isSame(box, slot.box));
}

function isSame(a: Box, b: Box): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}

/**
 * The record gives the boxes in the document before the ad was placed. The ad is at the top of its slot, so the chosen slot
 * shows how far the page was scrolled, and how far what is below it moved down.
 */
function placeOf(box: Box, { slot, ad_box: ad, ratio, options, device }: Choice): Box | undefined {
  if (!slot || !ad) return undefined;
  const scrolled = options?.full_page === true ? 0 : slot.box.y - ad.y / ratio;
  const grown = Math.max(0, ad.height / ratio - slot.box.height);
  const isSlot = isSame(box, slot.box);
  const isBelow = !isSlot && box.y >= slot.box.y + slot.box.height;
  const y = box.y - scrolled + (isBelow ? grown : 0);
  const height = isSlot ? box.height + grown : box.height;
  return {
    x: box.x * ratio,
    y: y * ratio,
    width: box.width * ratio,
    height: height * ratio,
    ...widthOf(box, device, ratio),
  };
}

/** A collapsed slot has no width of its own; its line is drawn over the screen. */
function widthOf({ x, width }: Box, device: string, ratio: number): { width?: number } {
  if (width > 0) return {};
  const screen = findDevice(device)?.viewport.width ?? 0;
  return { width: Math.max(0, screen - x) * ratio };
}
