import { describe, expect, test } from 'vitest';
import { selectorOf } from '../../../src/pages/pictures/slotOffer.ts';

const slot = (element: string) => ({ element });

describe('the selector of a slot that was chosen by its number', () => {
  test.each(['#rail-1', 'div.ad-box', 'ins', '#main-content section.ad.ad__top'])('%s is one', (element) => {
    expect(selectorOf(element, [slot(element), slot('#other')])).toBe(element);
  });

  test.each([
    'anchor drawn by Tearsheet',
    'the anchor of Google Publisher Tag',
    '#1st',
    'aside.h-ad-280+text.lg:h-0',
    'div.ad:hover',
    '',
  ])('"%s" is none', (element) => {
    expect(selectorOf(element, [slot(element)])).toBeUndefined();
  });

  test('a name that several slots have selects none of them, because the first one would take the ad', () => {
    expect(selectorOf('div.ad', [slot('div.ad'), slot('#a'), slot('div.ad')])).toBeUndefined();
  });
});
