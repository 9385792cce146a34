import { afterAll, beforeAll } from 'vitest';
import { type Pictures, startPictures } from './pictures.ts';
import { testWholeAdMatrices } from './wholeAdMatrices.ts';

let pictures: Pictures;
beforeAll(async () => {
  pictures = await startPictures();
});
afterAll(() => pictures.close());

testWholeAdMatrices('long', () => pictures);
