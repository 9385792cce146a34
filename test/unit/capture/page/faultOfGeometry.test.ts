import { expect, test } from 'vitest';
import { type AdGeometry, faultOfGeometry } from '../../../../src/capture/page/pictureCheck.ts';

const rect = { x: 20, y: 100, width: 300, height: 250 };
const seen: AdGeometry = {
  ...{ rect, box: rect, zoom: 1, picture: { width: 390, height: 844 } },
  ...{ clip: undefined, part: undefined, isAside: false, isWide: false, cut: undefined },
};
const request = {
  size: { width: 300, height: 250 },
  viewport: { width: 390, height: 844 },
  minZoom: 1,
  mayCover: false,
};

test('a slot is not used if the page would have to be scrolled sideways, unless the client chose it or the page is wide', () => {
  expect(faultOfGeometry(seen, request)).toBeUndefined();
  const aside = { ...seen, isAside: true };
  expect(faultOfGeometry(aside, request)).toBe('the page would have to be scrolled sideways');
  expect(faultOfGeometry(aside, { ...request, mayCover: true })).toBeUndefined();
  expect(faultOfGeometry({ ...aside, isWide: true }, request)).toBeUndefined();
});
