import sharp from 'sharp';
import { expect, test } from 'vitest';
import { createTextPictures } from '../../../src/exports/pdf/textPictures.ts';

test('an emoji is drawn in color, in a picture of the announced shape', async () => {
  const pictures = createTextPictures({ openImage: (png) => png });
  await pictures.prepare(['😀']);
  const { image, width, height } = pictures.find('😀') ?? { image: '', width: 0, height: 0 };
  const { channels } = await sharp(image).stats();
  expect(channels[0]?.max).toBeGreaterThan(200);
  const drawn = await sharp(image).metadata();
  expect((drawn.width ?? 0) / (drawn.height ?? 1)).toBeCloseTo(width / height, 2);
});
