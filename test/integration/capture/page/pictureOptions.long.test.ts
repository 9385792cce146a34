import { afterAll, beforeAll } from 'vitest';
import { testPictureMatrices } from './pictureMatrices.ts';
import { type Pictures, startPictures } from './pictures.ts';

let pictures: Pictures;
beforeAll(async () => {
  pictures = await startPictures();
});
afterAll(() => pictures.close());

testPictureMatrices('long', () => pictures);
