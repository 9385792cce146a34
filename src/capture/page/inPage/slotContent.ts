/** Tells what an element that may be a slot holds. */
import type { PagePart } from './script.ts';

/** `ad`: images, frames or ad elements; `text`: a short text; `content`: a part of the page. */
export type SlotContent = 'nothing' | 'label' | 'ad' | 'text' | 'content';

/** The text of the element without scripts, at most about `max` characters. */
function plainText(element: Element, max: number): string {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = '';
  while (walker.nextNode() && text.length < max) {
    const node = walker.currentNode;
    if (!/^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE)$/i.test(node.parentElement?.tagName ?? ''))
      text += ` ${node.nodeValue ?? ''}`;
    text = text.replace(/\s+/g, ' ');
  }
  return text.trim();
}

/** "Advertisement", "Anzeige", "728 × 90". */
function isLabel(labels: RegExp, text: string): boolean {
  const words = text
    .toLowerCase()
    .replace(/\d+\s*[x×]\s*\d+\s*(px)?/g, '')
    .replace(/[^\p{L}\p{M}\s()]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return words === '' || (words.length <= 60 && labels.test(words));
}

function contentOf(labels: RegExp, element: Element): SlotContent {
  if (element.tagName === 'IFRAME') return 'ad';
  if (element.querySelector('input:not([type=hidden]), select, textarea, form, video, audio, article, nav, h1, h2'))
    return 'content';
  const text = plainText(element, 200);
  if (text.length > 160 || element.querySelectorAll('p, h3, h4, li').length > 2) return 'content';
  if (text !== '' && !isLabel(labels, text)) return 'text';
  if (element.querySelector('iframe, img, ins, object, embed, canvas, svg, amp-ad')) return 'ad';
  return text === '' ? 'nothing' : 'label';
}

/** Whether it is only the word "Advertisement" near a slot. */
function isOnlyLabel(labels: RegExp, element: Element, height: number): boolean {
  if (element.childElementCount > 0 || height > 45) return false;
  const text = plainText(element, 100);
  return /\p{L}/u.test(text) && isLabel(labels, text);
}

export const SLOT_CONTENT = { plainText, isLabel, contentOf, isOnlyLabel } satisfies PagePart;
