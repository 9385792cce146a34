import { expect, test } from 'vitest';
import { fitFault } from '../../../src/domain/adFit.ts';

const PHONE = { width: 360, height: 800 };
const SHORT = { width: 1366, height: 768 };

test.each([
  ['320x50', [320, 50], PHONE, {}, true],
  ['360x50', [360, 50], PHONE, {}, true],
  // A page may be shown at 99 %, and so be 363 pixels wide.
  ['363x50', [363, 50], PHONE, {}, true],
  ['364x50', [364, 50], PHONE, {}, false],
  ['970x250', [970, 250], PHONE, {}, false],
  ['970x250 that may be scaled', [970, 250], PHONE, { allowScaling: true }, true],
  ['a film of 1920x1080, which is always scaled', [1920, 1080], PHONE, {}, true],
  ['300x1050', [300, 1050], SHORT, {}, false],
  ['300x1050 on a whole page', [300, 1050], SHORT, { fullPage: true }, true],
] as const)('%s: whether it fits is known', (_name, [width, height], screen, options, expected) => {
  const fault = fitFault({ width, height }, screen, { allowScaling: false, fullPage: false, ...options });
  expect(fault === undefined).toBe(expected);
});

test('the reason names both sizes', () => {
  const fault = fitFault({ width: 970, height: 250 }, PHONE, { allowScaling: false, fullPage: false });
  expect(fault).toBe('The ad of 970×250 is larger than the screen of 360×800.');
});
