import { expect, test } from 'vitest';
import { type SlotChoice, slotOfText, textOfSlot } from '../../../src/domain/screenshotOptions.ts';

test.each<[string, SlotChoice]>([
  ['format:anchor', { format: 'anchor' }],
  ['7', { index: 7 }],
  ['#top > .ad', { selector: '#top > .ad' }],
  ['iframe:nth-child(2)', { selector: 'iframe:nth-child(2)' }],
])('the text %s stands for one choice of a slot', (text, choice) => {
  expect(slotOfText(` ${text} `)).toEqual(choice);
  expect(textOfSlot(choice)).toBe(text);
});
