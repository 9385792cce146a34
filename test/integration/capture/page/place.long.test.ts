import { afterAll, beforeAll } from 'vitest';
import { type Pictures, startPictures } from './pictures.ts';
import { testPlaceMatrices } from './placeMatrices.ts';

let pictures: Pictures;
beforeAll(async () => {
  pictures = await startPictures();
});
afterAll(() => pictures.close());

testPlaceMatrices('long', () => pictures);
