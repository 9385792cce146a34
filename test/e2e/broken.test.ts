import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { useTrial } from './support/trial.ts';

/** Without retries: what is nobody's fault costs none. */
const trial = useTrial('broken', { capture: { retries: 0 } });

describe('what ends captures before they are done, on a real cluster', () => {
  it('is made good where somebody deletes the pod, and charged to nobody', async () => {
    const set = await trial.held('deleted');
    const { metadata } = await trial.named(set, 'Running', 60_000);
    const ofSet = `tearsheet.dev/screenshotjob=${metadata.name}`;
    await trial.installation.kubectl(['delete', 'pods', '-l', ofSet, '--wait=false']);
    const ignored = 'batch.kubernetes.io/job-index-ignored-failure-count';
    await eventually(async () => {
      const pods = await trial.installation.list<{ metadata: { annotations: Record<string, string> } }>('pods', ofSet);
      expect(pods.map(({ metadata: { annotations } }) => annotations[ignored])).toEqual(['1']);
    });
    trial.world.gates.open('deleted');
    await trial.named(set, 'Completed', 120_000);
    await trial.approved(set);
  });

  it('is named Evicted when a capture fills the disk it was given, and made good', async () => {
    await trial.profile({ tmpSize: '64Ki' });
    const set = await trial.held('evicted');
    await trial.named(set, 'Evicted', 60_000);
    // The kubelet looks every ten seconds: one that is not held back is done before.
    trial.world.gates.open('evicted');
    await trial.named(set, 'Completed', 240_000);
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
