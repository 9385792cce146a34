import type { Frame, JSHandle } from 'playwright';
import type { MatchedRule, SlotLists } from '../../slotLists/slotLists.ts';
import { type DocumentNames, LISTED_TOOLS, type ListedElements, type ListedTools } from './inPage/listed.ts';

/** Finds the elements of one frame that the lists name. They stay in the page. */
export async function findListedElements(frame: Frame, lists: SlotLists): Promise<JSHandle<ListedElements>> {
  const tools: JSHandle<ListedTools> = await frame.evaluateHandle(LISTED_TOOLS);
  const names = await tools.evaluate((their) => their.collectNames());
  const addresses = { url: addressOf(frame, names), pageUrl: frame.page().url() };
  const rules = { hiding: lists.hidingRules(addresses, names), blocked: blockedSources(lists, addresses, names) };
  return tools.evaluateHandle((their, found) => their.findListed(found), rules);
}

/** A frame without an address of its own belongs to the site of the frame around it. */
function addressOf(frame: Frame, { url }: DocumentNames): string {
  let at: Frame | null = frame;
  let address = url;
  while (!/^https?:/.test(address) && at !== null) {
    address = at.url();
    at = at.parentFrame();
  }
  return /^https?:/.test(address) ? address : frame.page().url();
}

function blockedSources(
  lists: SlotLists,
  addresses: { url: string; pageUrl: string },
  { frames, images }: DocumentNames,
): Record<string, MatchedRule> {
  const boxes = [
    ...frames.map((source) => ({ kind: 'frame', source }) as const),
    ...images.map((source) => ({ kind: 'image', source }) as const),
  ];
  return Object.fromEntries(
    boxes.flatMap((box) => {
      const rule = lists.blockingRule(box, addresses);
      return rule === undefined ? [] : [[box.source, rule] as const];
    }),
  );
}

interface ListedSlot {
  readonly rule?: MatchedRule | undefined;
  /** Index of the slot around this one, or -1. */
  readonly parent: number;
}

/** @returns the rule of the slot, or of a slot around or inside of it, because nested slots are one. */
export function ruleOfGroup(slots: readonly ListedSlot[], index: number): MatchedRule | undefined {
  const around = (start: number): number[] => {
    const trail: number[] = [];
    for (let at = start; at >= 0 && trail.length < slots.length; at = slots[at]?.parent ?? -1) trail.push(at);
    return trail;
  };
  const outer = around(index).map((at) => slots[at]?.rule);
  const inner = slots.map(({ rule }, at) => (rule !== undefined && around(at).includes(index) ? rule : undefined));
  return [...outer, ...inner].find((rule) => rule !== undefined);
}
