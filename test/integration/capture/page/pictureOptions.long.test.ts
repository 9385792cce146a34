import { afterAll, beforeAll, expect, test } from 'vitest';
import { testPictureMatrices } from './pictureMatrices.ts';
import { codes, PHONE, type Pictures, SLOT, STORY, startPictures } from './pictures.ts';

let pictures: Pictures;
beforeAll(async () => {
  pictures = await startPictures();
});
afterAll(() => pictures.close());

testPictureMatrices('long', () => pictures);

test('a page that is longer than the largest picture is cut, with a warning', async () => {
  const picture = await pictures.wholeAd(
    `${PHONE}${STORY}${SLOT}<div style="height:40000px"></div>`,
    'Apple iPhone 5',
    {
      fullPage: true,
    },
  );
  expect(picture.height).toBe(16_000);
  expect(codes(picture)).toEqual(['page_changed']);
});
