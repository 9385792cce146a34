/** The slots that Tearsheet found on a page, and where they are in the picture. */
import { z } from 'zod';
import { findDevice } from '../../domain/devices.ts';

const Box = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
export type Box = z.infer<typeof Box>;

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

export interface FoundSlot extends z.infer<typeof Candidate> {
  /** From 1, by score; a request can choose a slot by it. */
  readonly number: number;
  readonly isChosen: boolean;
  /** In device pixels of the picture, as far as the record tells; undefined without a picture. */
  readonly place: Box | undefined;
}

export interface FoundSlots {
  readonly slots: readonly FoundSlot[];
  /** How many the page had, including those that were not recorded. */
  readonly found: number;
}

/** @param record a provenance record of any version of the service. @returns undefined if it holds no candidates. */
export function foundSlots(record: object | undefined): FoundSlots | undefined {
  const { data: choice } = Choice.safeParse(record);
  if (choice === undefined || choice.candidates.length === 0) return undefined;
  const chosen = chosenIndex(choice);
  const slots = choice.candidates.map((candidate, index) => ({
    ...candidate,
    number: index + 1,
    isChosen: index === chosen,
    place: placeOf(candidate.box, choice),
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
 * tells how far the page was scrolled, and how far what is below it moved down.
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
