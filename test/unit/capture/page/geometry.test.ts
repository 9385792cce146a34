import { expect, test } from 'vitest';
import type { LivePage, StagedSlot } from '../../../../src/capture/page/livePage.ts';
import { geometryOf, warningsOf } from '../../../../src/capture/page/pictureCheck.ts';

/** A page of 320 CSS pixels at two device pixels each, with the ad at this height. */
function geometryInPage(y: number, height: number, innerScroller: string | null = null) {
  const rect = { x: 10, y, width: 300, height: 250 };
  const screen = { ratio: 2, document: { width: 320, height }, origin: { x: 0, y: 0 } };
  const live = { screen: async () => screen } as LivePage;
  const staged = {
    scrollToTop: async () => undefined,
    rect: async () => rect,
    innerScroller: async () => innerScroller,
  } as Partial<StagedSlot> as StagedSlot;
  return geometryOf(live, staged, 'page');
}

test('a picture of the whole page shows the whole page', async () => {
  const geometry = await geometryInPage(900, 8_000);
  expect(geometry).toMatchObject({
    ...{ picture: { x: 0, y: 0, width: 320, height: 8_000 }, rect: { y: 900 } },
    box: { x: 20, y: 1_800, width: 600, height: 500 },
  });
  expect(warningsOf(geometry)).toEqual([]);
});

test('a page that is longer than the largest picture is cut, with a warning', async () => {
  const geometry = await geometryInPage(900, 40_000);
  expect(geometry.picture).toEqual({ x: 0, y: 0, width: 320, height: 8_000 });
  const message = 'The page is longer than the largest picture. The picture shows 8000 CSS pixels of it.';
  expect(warningsOf(geometry)).toEqual([{ code: 'page_changed', message }]);
});

test.each([
  ['in the middle', 20_000, 16_000, 4_000],
  ['near the end', 39_500, 32_000, 7_500],
])('an ad %s of a page that is cut is in the picture', async (_where, y, top, inPicture) => {
  const { clip, rect } = await geometryInPage(y, 40_000);
  expect([clip?.rect.y, rect.y]).toEqual([top, inPicture]);
});

test('a picture of a page that scrolls in a container says which', async () => {
  const geometry = await geometryInPage(900, 8_000, '#app');
  expect(warningsOf(geometry)[0]?.message).toContain('The page scrolls inside #app');
});
