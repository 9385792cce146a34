/** Finds the elements that rules of filter lists hide, and the boxes whose content they block. */
import type { MatchedRule } from '../../../slotLists/slotLists.ts';
import type { AD_NAMES } from './adNames.ts';
import type { NETWORKS_IN_PAGE } from './networks.ts';
import type { Rect } from './rect.ts';
import { expressionOf, type PagePart } from './script.ts';
import type { SLOT_CONTENT } from './slotContent.ts';
import type { SlotContext } from './slotContext.ts';
import type { Finding } from './slotEvidence.ts';
import type { SLOT_SIZES } from './slotSizes.ts';

declare const contentOf: typeof SLOT_CONTENT.contentOf;
declare const elementWithBox: typeof NETWORKS_IN_PAGE.elementWithBox;
declare const imageSize: typeof NETWORKS_IN_PAGE.imageSize;
declare const isOnlyLabel: typeof SLOT_CONTENT.isOnlyLabel;
declare const isStandardSize: typeof SLOT_SIZES.isStandardSize;
declare const namesOf: typeof AD_NAMES.namesOf;
declare const plainText: typeof SLOT_CONTENT.plainText;
declare const wordsIn: typeof AD_NAMES.wordsIn;

/** The names and addresses in a frame's document. They decide which rules are tried. */
export interface DocumentNames {
  url: string;
  classes: string[];
  ids: string[];
  attributes: string[];
  hrefs: string[];
  frames: string[];
  images: string[];
}

export interface RulesOfDocument {
  hiding: (MatchedRule & { selector: string })[];
  /** By the source of the frame or image. */
  blocked: Record<string, MatchedRule>;
}

/** The first rule for each element. It stays in the page. */
export type ListedElements = Map<Element, MatchedRule>;

function allRoots(root: Document | ShadowRoot, into: (Document | ShadowRoot)[]): (Document | ShadowRoot)[] {
  into.push(root);
  for (const element of [...root.querySelectorAll('*')].slice(0, 40_000))
    if (element.shadowRoot) allRoots(element.shadowRoot, into);
  return into;
}

function sourceOf(element: Element): string {
  return (element instanceof HTMLImageElement && element.currentSrc) || String(Reflect.get(element, 'src') ?? '');
}

function collectNames(): DocumentNames {
  const classes = new Set<string>();
  const ids = new Set<string>();
  const attributes = new Set<string>();
  const sets = { hrefs: new Set<string>(), frames: new Set<string>(), images: new Set<string>() };
  const addresses = (set: Set<string>, address: string) => {
    if (set.size < 2_000 && /^https?:/.test(address)) set.add(address.slice(0, 1_000));
  };
  for (const root of allRoots(document, [])) {
    for (const element of [...root.querySelectorAll('*')].slice(0, 40_000)) {
      for (const name of element.classList) classes.add(name.slice(0, 200));
      // The property of a form is its field with that name.
      const id = element.getAttribute('id') ?? '';
      if (id !== '') ids.add(id.slice(0, 200));
      for (const name of element.getAttributeNames()) attributes.add(name.slice(0, 100));
      if (element instanceof HTMLAnchorElement) addresses(sets.hrefs, element.href);
      if (element.tagName === 'IFRAME') addresses(sets.frames, sourceOf(element));
      if (element.tagName === 'IMG') addresses(sets.images, sourceOf(element));
    }
  }
  const listed = (set: Set<string>) => [...set].slice(0, 10_000);
  return {
    url: location.href,
    classes: listed(classes),
    ids: listed(ids),
    attributes: listed(attributes),
    hrefs: listed(sets.hrefs),
    frames: listed(sets.frames),
    images: listed(sets.images),
  };
}

function matching(root: Document | ShadowRoot, selector: string): Element[] {
  try {
    return [...root.querySelectorAll(selector)].slice(0, 200);
  } catch {
    // A list may use a selector that this browser does not know.
    return [];
  }
}

function findListed({ hiding, blocked }: RulesOfDocument): ListedElements {
  const found: ListedElements = new Map();
  const add = (element: Element, { list, rule }: MatchedRule) => {
    if (!found.has(element)) found.set(element, { list, rule });
  };
  for (const root of allRoots(document, [])) {
    for (const rule of hiding) for (const element of matching(root, rule.selector)) add(element, rule);
    for (const element of matching(root, 'iframe, img')) {
      const rule = blocked[sourceOf(element).slice(0, 1_000)];
      if (rule !== undefined) add(element, rule);
    }
  }
  return found;
}

/** Evaluates to {@link ListedTools}. */
export const LISTED_TOOLS = expressionOf(
  { allRoots, sourceOf, collectNames, matching, findListed },
  '{ collectNames, findListed }',
);

export interface ListedTools {
  collectNames(): DocumentNames;
  findListed(rules: RulesOfDocument): ListedElements;
}

/** Adds the elements that can hold an ad to the context. A rule may name the frame, the link or an empty element inside of the slot. */
function addListed(context: SlotContext, listed: ListedElements | null): void {
  for (const [origin, rule] of listed ?? []) {
    const isPicture = /^(A|IMG|PICTURE)$/.test(origin.tagName);
    const element = isPicture ? listedImage(context, origin) : elementWithBox(context, origin);
    if (element === undefined || context.listed.has(element) || isOtherContent(element)) continue;
    context.listed.set(element, rule);
  }
}

/** A link that holds nothing but an image of a standard size. Other links and images are text ads, logos and counters. */
function listedImage(context: SlotContext, origin: Element): Element | undefined {
  const link = origin.closest('a');
  const images = link?.querySelectorAll('img');
  const [image] = images ?? [];
  if (link === null || image === undefined || images?.length !== 1 || plainText(link, 20) !== '') return undefined;
  const size = imageSize(context, image);
  if (size === undefined) return undefined;
  context.images.set(link, { image, size });
  return link;
}

/**
 * Lists also name labels, text ads, teasers, players, recommendations and boxes that test for ad blockers. Without another sign of a slot,
 * the element must hold nothing, a label or an ad. A collapsed one has no geometry, so it must be in the flow and named as an ad.
 */
function isListedSlot(
  context: SlotContext,
  element: Element,
  { finding, rect, collapsed }: { finding: Finding; rect: Rect; collapsed: boolean },
): boolean {
  if (!finding.evidence.every((kind) => kind === 'filter_list' || kind === 'iab_size')) return true;
  if (isOnlyLabel(context.labels, element, rect.height)) return false;
  if (wordsIn(namesOf(element)).some((word) => context.words.never.has(word))) return false;
  const content = contentOf(context.labels, element);
  const standard = isStandardSize(context.sizeKeys, rect.width, rect.height);
  if (content === 'content' || (content === 'text' && !standard)) return false;
  if (!collapsed) return true;
  const { rule = '' } = context.listed.get(element) ?? {};
  return isNamedAsAd(`${namesOf(element)} ${element.tagName} ${rule.replace(/^.*?##/, '')}`) && isInFlow(element);
}

/** Blockers hide these too, and they never hold a display ad. */
function isOtherContent(element: Element): boolean {
  const kinds =
    /^(videos?|player|native|newsletters?|recommend(ed|ations?)|related|jobs?|podcasts?|partners?|outbrain|taboola|shop(ping)?|coupons?|deals?|survey)$/;
  return wordsIn(`${namesOf(element)} ${element.tagName}`).some((word) => kinds.test(word));
}

/** Looser than the names that make a slot without a list. */
function isNamedAsAd(names: string): boolean {
  return wordsIn(names).some((word) =>
    /^ads?(\d|$)|^ad[-_]?(s|sense|slot|unit|box|wrap|zone|place|cont)|ads?$|adv(ert)?|banner|sponsor|dfp|gpt|leaderboard|skyscraper|billboard|mpu|rectangle/.test(
      word,
    ),
  );
}

function isInFlow(element: Element): boolean {
  return !/^(absolute|fixed)$/.test(getComputedStyle(element).position);
}

export const LISTED_SLOTS = {
  addListed,
  listedImage,
  isListedSlot,
  isOtherContent,
  isNamedAsAd,
  isInFlow,
} satisfies PagePart;
