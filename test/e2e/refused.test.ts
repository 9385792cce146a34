import { describe, expect, it } from 'vitest';
import { kubectl } from './support/programs.ts';
import { fillQuota } from './support/quota.ts';
import { useTrial } from './support/trial.ts';

const trial = useTrial('refused', { capture: { schedulingDeadlineSeconds: 60 } });

describe('what keeps captures from running, on a real cluster', () => {
  it('is named QuotaExceeded, and over once the quota is lifted', async () => {
    const lift = await fillQuota(trial.installation);
    trial.afterwards(lift);
    const set = await trial.ask('QuotaExceeded');
    await trial.named(set, 'QuotaExceeded');
    await lift();
    await trial.named(set, 'Completed', 150_000);
    await trial.approved(set);
  });

  it('is named Unschedulable while no node takes them, and over once one does', async () => {
    const label = `tearsheet.dev/e2e-${Date.now().toString(36)}`;
    await trial.profile({ nodeSelector: { [label]: 'true' } });
    const set = await trial.ask('Unschedulable');
    await trial.named(set, 'Unschedulable');
    const [node = ''] = (await kubectl(['get', 'nodes', '-l', '!type', '-o', 'name'])).trim().split('\n');
    await kubectl(['label', node, `${label}=true`]);
    trial.afterwards(() => kubectl(['label', node, `${label}-`]));
    await trial.named(set, 'Completed', 60_000);
    await trial.approved(set);
  });

  /** The deadline of what waits for its image comes while the tests after it go on. */
  let withoutImage = '';

  it('is named ImagePullFailed', async () => {
    // Refused at once, by this machine.
    await trial.profile({ image: '127.0.0.1:1/absent:1', imagePullPolicy: 'IfNotPresent' });
    withoutImage = await trial.ask('ImagePullFailed');
    const { status } = await trial.named(withoutImage, 'ImagePullFailed');
    expect(status?.message).toMatch(/ImagePull/);
  });

  it('is named PodRejected when an admission rule refuses the pods', async () => {
    await trial.profile({ seccompProfile: { type: 'Unconfined' } });
    const set = await trial.ask('PodRejected');
    const { metadata } = await trial.named(set, 'PodRejected');
    await trial.installation.kubectl(['delete', 'screenshotjob', metadata.name], { timeoutMs: 90_000 });
    await trial.ends(set, 'canceled');
  });

  it('is named PodStartFailed when a volume cannot be mounted', async () => {
    const volumes = [{ name: 'absent', secret: { secretName: 'absent' } }];
    await trial.profile({ volumes, volumeMounts: [{ name: 'absent', mountPath: '/absent' }] });
    const set = await trial.ask('PodStartFailed');
    // Nothing tells it from a slow start before.
    const { metadata, status } = await trial.named(set, 'PodStartFailed', 50_000);
    expect(status?.message).toMatch(/MountVolume|FailedMount/);
    const cancel = ['patch', 'screenshotjob', metadata.name, '--type=merge', '-p', '{"spec":{"cancel":true}}'];
    await trial.installation.kubectl(cancel);
    await trial.named(set, 'Canceled', 60_000);
    await trial.ends(set, 'canceled');
  });

  it('fails a set of which nothing has started by the deadline for that, with its last words', async () => {
    const settled = await trial.named(withoutImage, 'DeadlineExceeded', 120_000);
    expect(settled.status?.message).toMatch(/ImagePull/);
    const { screenshots } = await trial.ends(withoutImage, 'failed');
    expect(screenshots[0]?.reason).toMatch(/could not be fetched/);
  });
});
