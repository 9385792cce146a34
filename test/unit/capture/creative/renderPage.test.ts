import { describe, expect, it } from 'vitest';
import { stepTowards } from '../../../../src/capture/creative/renderPage.ts';

function walk(from: number, marker: number, everyFrame = false): number[] {
  const steps: number[] = [];
  for (let now = from; steps.length < 5_000; ) {
    const step = stepTowards(now, marker, everyFrame);
    if (step === 0) return steps;
    steps.push(step);
    now += step;
  }
  throw new Error('it never arrives');
}

describe('the way to a marker', () => {
  it.each([0, 1, 16, 17, 499.5, 500, 501, 1_000, 30_000])('the steps to a marker end exactly at %d ms', (marker) => {
    const steps = walk(0, marker);
    expect(steps.reduce((sum, step) => sum + step, 0)).toBeCloseTo(Math.max(marker, 1), 6);
    for (const step of steps) expect(step).toBeGreaterThan(0);
  });

  it('the steps to a marker are coarse until 500 ms before it and then single frames', () => {
    const steps = walk(0, 10_000);
    expect(steps.slice(0, 95)).toEqual(Array(95).fill(100));
    expect(steps.length).toBe(95 + 30);
  });

  it('the steps to a marker are single frames on request', () => {
    expect(walk(0, 2_000, true)).toHaveLength(120);
  });

  it('no step follows after the marker has been reached', () => {
    expect(walk(700, 500)).toEqual([]);
  });
});
