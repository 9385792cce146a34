import { afterAll, beforeAll } from 'vitest';
import { putPartner, testOtherAds } from './otherAdsMatrices.ts';
import { type Pictures, startPictures } from './pictures.ts';

let pictures: Pictures;
beforeAll(async () => {
  pictures = await startPictures();
  putPartner(pictures);
});
afterAll(() => pictures.close());

testOtherAds('long', () => pictures);
