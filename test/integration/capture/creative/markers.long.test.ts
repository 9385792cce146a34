import { afterAll, beforeAll } from 'vitest';
import { startTestRenderer, type TestRenderer } from '../../../support/testRenderer.ts';
import { testMarkerMatrices } from './markerMatrices.ts';

let renderer: TestRenderer;
beforeAll(async () => {
  renderer = await startTestRenderer();
});
afterAll(() => renderer.close());

testMarkerMatrices('long', () => renderer);
