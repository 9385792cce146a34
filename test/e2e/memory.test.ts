import { describe, expect, it } from 'vitest';
import { useTrial } from './support/trial.ts';

/** Until no more generation of the Job is tried. */
const EXHAUSTED_MS = 240_000;

const trial = useTrial('memory', { capture: { retries: 1 } });

describe('captures with too little memory, on a real cluster', () => {
  it('are named OOMKilled, and their set fails once the retries are used up', async () => {
    await trial.profile({ resources: { limits: { memory: '40Mi' } }, shmSize: '8Mi' });
    const set = await trial.ask('OOMKilled');
    await trial.named(set, 'OOMKilled');
    const { status } = await trial.named(set, 'Failed', EXHAUSTED_MS);
    expect(status?.failed).toBe(1);
    const { screenshots } = await trial.ends(set, 'failed');
    expect(screenshots[0]?.reason).toBeTruthy();
  });
});
