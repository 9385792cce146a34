import { describe, expect, it } from 'vitest';
import { useTrial } from './support/trial.ts';

/** Until no more generation of the Job is tried. */
const EXHAUSTED_MS = 240_000;

const trial = useTrial('broken', { capture: { retries: 1 } });

describe('what ends captures before they are done, on a real cluster', () => {
  it('is named OOMKilled while a capture has too little memory, and fails once its retries are used up', async () => {
    await trial.profile({ resources: { limits: { memory: '40Mi' } }, shmSize: '8Mi' });
    const set = await trial.ask('OOMKilled');
    await trial.named(set, 'OOMKilled');
    const { status } = await trial.named(set, 'Failed', EXHAUSTED_MS);
    expect(status?.failed).toBe(1);
    const { screenshots } = await trial.ends(set, 'failed');
    expect(screenshots[0]?.reason).toBeTruthy();
  });

  it('is named Evicted when a capture fills the disk it was given, and goes on once it is given more', async () => {
    await trial.profile({ tmpSize: '64Ki' });
    const set = await trial.held('evicted');
    await trial.named(set, 'Evicted', 60_000);
    await trial.mend();
    await trial.named(set, 'Completed', EXHAUSTED_MS);
    await trial.approved(set);
  });

  it('is made good where somebody deletes the pod', async () => {
    const set = await trial.held('deleted');
    const { metadata } = await trial.named(set, 'Running', 60_000);
    const pods = ['delete', 'pods', '-l', `tearsheet.dev/screenshotjob=${metadata.name}`, '--wait=false'];
    await trial.installation.kubectl(pods);
    trial.world.gates.open('deleted');
    await trial.named(set, 'Completed', 120_000);
    await trial.approved(set);
  });

  it('is a deadline of the set, which fails what is missing by then', async () => {
    const { installation } = trial;
    await installation.upgrade({ capture: { setDeadlineSeconds: 15, schedulingDeadlineSeconds: 15 } });
    const set = await trial.ask('Deadline', 'deadline');
    await trial.named(set, 'DeadlineExceeded', 60_000);
    await trial.ends(set, 'failed');
  });
});
