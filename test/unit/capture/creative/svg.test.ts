import { expect, it } from 'vitest';
import { isScripted, svgSize } from '../../../../src/capture/creative/markup.ts';

it.each([
  ['<svg width="300" height="250" viewBox="0 0 10 10">', [300, 250]],
  ['<svg width="3in" height="72pt">', [288, 96]],
  ['<svg viewBox="0 0 728 90">', [728, 90]],
  ['<svg viewBox="0,0,100,50" width="200">', [200, 100]],
  ['<svg viewBox="0 0 100 50" width="100%" height="100%">', [100, 50]],
  ['<svg>', [300, 150]],
])('the size of %s is %j', (source, [width, height]) => {
  expect(svgSize(source)).toEqual({ width, height });
});

it('an SVG with a script is detected', () => {
  expect(isScripted('<svg><script>1</script></svg>')).toBe(true);
  expect(isScripted('<svg><desc>a script</desc></svg>')).toBe(false);
});
