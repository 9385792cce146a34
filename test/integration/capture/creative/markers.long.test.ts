import { afterAll, beforeAll, expect, it } from 'vitest';
import { colourAt, startTestRenderer, type TestRenderer, tag } from '../../../support/testRenderer.ts';
import { NEAR_MS, painted, STAGE, size, testMarkerMatrices, timeIn } from './markerMatrices.ts';

let renderer: TestRenderer;
beforeAll(async () => {
  renderer = await startTestRenderer();
});
afterAll(() => renderer.close());

testMarkerMatrices('long', () => renderer);

it('a frame at a late marker takes less time than the marker', async () => {
  const creativeDeadlineMs = 20_000;
  const late = creativeDeadlineMs + 5_000;
  const short = await startTestRenderer({ creativeDeadlineMs });
  const source = painted('setInterval(() => show(performance.now()), 20)');
  try {
    const { frames } = await short.rendered(source, { size, markers: [late] });
    expect(Math.abs((await timeIn(frames[0])) - late)).toBeLessThan(NEAR_MS);
  } finally {
    await short.close();
  }
});

it('a transition that a timer starts is at a marker where it is in a browser', async () => {
  const style = '<style>#d{transition:background-color 1s linear}</style>';
  const script = "setTimeout(() => { d.style.backgroundColor = 'rgb(0,0,255)'; }, 5_510)";
  const { frames } = await renderer.rendered(tag(`${style}${STAGE}</div><script>${script}</script>`), {
    size,
    markers: [6_010],
  });
  const [red = 0] = await colourAt(frames[0]);
  expect(Math.abs(red - 127.5)).toBeLessThan(255 / 30);
});

it('simultaneous renderings in two browsers do not affect each other', async () => {
  const source = painted('setInterval(() => show(performance.now()), 5)');
  const all = await Promise.all([1, 2].map(() => renderer.rendered(source, { size, markers: [1_000] })));
  for (const { frames } of all) expect(Math.abs((await timeIn(frames[0])) - 1_000)).toBeLessThan(NEAR_MS);
});
