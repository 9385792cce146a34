import { afterAll, beforeAll } from 'vitest';
import { type Pictures, startPictures } from './pictures.ts';
import { testScrollingMatrices } from './scrollingMatrices.ts';

let pictures: Pictures;
beforeAll(async () => {
  pictures = await startPictures();
});
afterAll(() => pictures.close());

testScrollingMatrices('long', () => pictures);
