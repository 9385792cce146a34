/** Finds the slot that the client chose. */
import type { ChosenByHand, SlotArea } from '../../domain/screenshotOptions.ts';
import { shortErrorMessage } from '../../lib/errorMessage.ts';
import type { Frame, Handle } from '../browser/frame.ts';
import type { Tab } from '../browser/tab.ts';
import type { FoundSlot } from './findSlots.ts';
import { respondingFrames } from './frames.ts';
import { originInPage } from './livePage.ts';
import type { Box } from './page.ts';
import { type ScoredSlot, type ScoringRequest, scoreSlots } from './scoring.ts';

const MAX_FRAMES = 40;

export type ChosenSlot = { readonly slot: ScoredSlot<FoundSlot> } | { readonly reason: string };

export interface SlotsOfPage {
  readonly tab: Tab;
  /** In the order of the provenance record, in which the client counts. */
  readonly ranked: readonly ScoredSlot<FoundSlot>[];
  /** The origin of a selector, for the reasons of the slot: "in the request". */
  readonly given: string;
}

/** @returns the slot, or a sentence on why the page has no such slot. */
export async function chooseSlot(
  choice: ChosenByHand,
  slots: SlotsOfPage,
  request: ScoringRequest,
): Promise<ChosenSlot> {
  if ('area' in choice) return slotOfArea(choice.area, slots, request);
  return 'index' in choice ? slotAt(choice.index, slots) : slotOfSelector(choice.selector, slots, request);
}

function slotAt(index: number, { ranked }: SlotsOfPage): ChosenSlot {
  const slot = ranked[index - 1];
  if (slot === undefined) return { reason: `The page has ${count(ranked.length)}, so there is no slot ${index}.` };
  const { visible, collapsed, element } = slot.scored;
  if (!visible && !collapsed) return { reason: `Slot ${index} (${element}) is not shown on this device.` };
  return { slot: chosenBy(`slot ${index} was chosen in the request`, slot) };
}

async function slotOfArea(
  { x, y, width, height }: SlotArea,
  { tab, given }: SlotsOfPage,
  request: ScoringRequest,
): Promise<ChosenSlot> {
  const box = { x, y, width: width ?? request.ad.width, height: height ?? request.ad.height };
  const page = await tab.mainFrame.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.scrollingElement ?? document.documentElement;
    return { width: scrollWidth, height: scrollHeight };
  });
  if (x + box.width > page.width || y + box.height > page.height)
    return {
      reason: `The area of ${box.width}×${box.height} at ${x}, ${y} is not inside the page, which has ${page.width}×${page.height} CSS pixels.`,
    };
  return { slot: chosenBy(`the area was given ${given}`, onlySlot(areaSlot(tab.mainFrame, box), request)) };
}

/** A part of the page that the client chose. */
function areaSlot(frame: Frame, box: Box): FoundSlot {
  const element = `the area ${box.width}×${box.height} at ${box.x}, ${box.y}`;
  const shown = { visible: true, collapsed: false, sticky: false, covered: false } as const;
  return {
    candidate: { box, sizes: [[box.width, box.height]], evidence: [], element, ...shown, sizeTrust: 4 },
    isFrame: false,
    frame,
    element: () => frame.evaluateHandle((area) => inPage.drawArea(area), box),
  };
}

function count(candidates: number): string {
  return candidates === 1 ? '1 ad slot' : `${candidates === 0 ? 'no' : candidates} ad slots`;
}

async function slotOfSelector(
  selector: string,
  { tab, ranked, given }: SlotsOfPage,
  request: ScoringRequest,
): Promise<ChosenSlot> {
  let hidden = false;
  for (const frame of await respondingFrames(tab, MAX_FRAMES)) {
    const found = await firstMatch(frame, selector);
    if ('invalid' in found) return { reason: `The selector ${selector} is not valid: ${found.invalid}` };
    if (found.element === undefined) continue;
    const slot = await asSlot(tab, frame, found.element);
    hidden ||= slot === undefined;
    if (slot === undefined) continue;
    const known = ranked.find(({ slot: other }) => other.frame === frame && sameBox(other, slot));
    return { slot: chosenBy(`the selector ${selector} was given ${given}`, known ?? onlySlot(slot, request)) };
  }
  if (hidden) return { reason: `The element of the selector ${selector} is hidden on this device.` };
  return { reason: `The selector ${selector} matches no element of the page.` };
}

async function firstMatch(
  frame: Frame,
  selector: string,
): Promise<{ element: Handle<Element> | undefined } | { invalid: string }> {
  try {
    return { element: await frame.evaluateHandle(findElement, selector) };
  } catch (error) {
    const message = shortErrorMessage(error);
    if (/not a valid selector/.test(message)) return { invalid: 'it is not CSS.' };
    return { element: undefined };
  }
}

/** Runs in the page. Searches open shadow roots after the document. */
function findElement(selector: string): Element {
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    const found = root.querySelector(selector);
    if (found !== null) return found;
    for (const element of root.querySelectorAll('*')) if (element.shadowRoot) roots.push(element.shadowRoot);
  }
  throw new Error('No element matches the selector.');
}

/** @returns undefined if the element is hidden. */
async function asSlot(tab: Tab, frame: Frame, element: Handle<Element>): Promise<FoundSlot | undefined> {
  const { shown, isFrame, label, rect } = await element.evaluate((node) => {
    const { x, y, width, height } = node.getBoundingClientRect();
    return {
      shown: node.checkVisibility({ visibilityProperty: true }) && node instanceof HTMLElement,
      isFrame: node.tagName === 'IFRAME',
      label: inPage.labelOf(node),
      rect: { x, y, width, height },
    };
  });
  if (!shown) return undefined;
  const origin = await originInPage(frame);
  const scroll = await tab.mainFrame.evaluate(() => ({ x: scrollX, y: scrollY }));
  const box = { ...rect, x: rect.x + origin.x + scroll.x, y: rect.y + origin.y + scroll.y };
  const collapsed = box.width < 10 || box.height < 10;
  return {
    candidate: {
      box,
      sizes: collapsed ? [] : [[Math.round(box.width), Math.round(box.height)]],
      evidence: [],
      element: label,
      visible: !collapsed,
      collapsed,
      sticky: false,
      covered: false,
      fluid: collapsed,
      sizeTrust: 4,
    },
    isFrame,
    frame,
    element: async () => element,
  };
}

function onlySlot(slot: FoundSlot, request: ScoringRequest): ScoredSlot<FoundSlot> {
  const [scored] = scoreSlots([slot], request);
  if (scored === undefined) throw new Error('one slot has one score');
  return scored;
}

function sameBox({ candidate: { box: one } }: FoundSlot, { candidate: { box: two } }: FoundSlot): boolean {
  return (['x', 'y', 'width', 'height'] as const).every((side) => Math.abs(one[side] - two[side]) <= 1);
}

/** The client's choice counts, whatever the score. The picture gets a warning if the slot cannot hold the ad. */
function chosenBy(reason: string, one: ScoredSlot<FoundSlot>): ScoredSlot<FoundSlot> {
  const scored = { ...one.scored, reasons: [...one.scored.reasons, reason] };
  return { ...one, scale: one.scale ?? 1, scored };
}
