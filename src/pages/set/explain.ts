/** Explains the choice of the slot: the slots of the page drawn over the picture, and a list of them. */
import type { Viewer } from '../context.ts';
import { hiddenFields } from '../forms.ts';
import { type Html, type HtmlContent, html } from '../html.ts';
import type { Box, FoundSlot, FoundSlots } from './candidates.ts';

interface Size {
  readonly width: number;
  readonly height: number;
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

export function slotOverlay({ slots }: FoundSlots, { width, height }: Size): Html {
  const unit = width * (width > height ? LABEL.wide : LABEL.tall);
  const drawn = slots.filter(({ place }) => place !== undefined && isInside(place, { width, height }));
  return html`<svg class="candidates" viewBox="0 0 ${width} ${height}" role="img" aria-label="${drawn.length} of ${slots.length} slots are in this picture">${drawn
    .toReversed()
    .map((slot) => drawnSlot(slot, unit))}</svg>`;
}

function isInside(box: Box, { width, height }: Size): boolean {
  return box.x < width && box.y < height && box.x + box.width > 0 && box.y + box.height > 0;
}

function drawnSlot({ number, score, isChosen, size, place }: FoundSlot, unit: number): HtmlContent {
  if (place === undefined) return null;
  const { x, y, width, height } = place;
  const text = `${number}${size ? `: ${size[0]}×${size[1]}` : ''}, ${score}`;
  const wide = (text.length * 0.58 + 0.8) * unit;
  const top = Math.max(0, y);
  return html`<g class="${isChosen ? 'chosen' : 'other'}"><rect class="box" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(Math.max(height, 2))}"/><rect class="tag" x="${round(Math.max(0, x))}" y="${round(top)}" width="${round(wide)}" height="${round(unit * 1.5)}"/><text x="${round(Math.max(0, x) + unit * 0.4)}" y="${round(top + unit * 1.1)}" font-size="${round(unit)}">${text}</text></g>`;
}

const round = (value: number) => Math.round(value * 10) / 10;

interface ListOptions {
  readonly viewer: Viewer;
  /** Undefined if the screenshot cannot be taken again at the moment. */
  readonly retakePath: string | undefined;
  /** The page to return to. */
  readonly next: string;
  readonly size: Size | undefined;
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
  return html`<li${isChosen && html` class="chosen"`}><p class="bar"><strong>${number}</strong> <span>${size}score ${score}</span> ${isChosen && html`<span class="state approved">used</span>`} <span class="meta">${placeName(slot, options.size)}</span></p>
<p class="meta"><code>${element}</code>${known !== '' && html`, known by ${known}`}</p>
${reasons.length > 0 && html`<details><summary>Reasons of the score</summary><ul class="meta">${reasons.map((reason) => html`<li>${reason}</li>`)}</ul></details>`}${!isChosen && use(slot, options)}</li>`;
}

function use({ number, problem }: FoundSlot, { viewer, retakePath, next }: ListOptions): HtmlContent {
  if (retakePath === undefined) return null;
  if (problem)
    return html`<p class="meta"><button disabled>Use this slot instead</button> The slot cannot hold the ad: ${problem}.</p>`;
  return html`<form method="post" action="${retakePath}">${hiddenFields(viewer, next)}<input type="hidden" name="slot_index" value="${number}"><button>Use this slot instead</button></form>`;
}

function placeName({ place, box }: FoundSlot, size: Size | undefined): string {
  if (place === undefined || size === undefined) return `${Math.round(box.y)} px from the top of the page`;
  if (isInside(place, size)) return 'in the picture';
  return place.y >= size.height
    ? 'below the picture'
    : place.y + place.height <= 0
      ? 'above the picture'
      : 'beside the picture';
}
