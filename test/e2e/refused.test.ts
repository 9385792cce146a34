import { describe, expect, it } from 'vitest';
import { kubectl } from './support/commands.ts';
import { useE2eContext } from './support/e2eContext.ts';
import { fillQuota } from './support/quota.ts';

const e2e = useE2eContext('refused', { capture: { schedulingDeadlineSeconds: 60 } });

describe('captures that cannot start, on a real cluster', () => {
  it('a full quota is reported as QuotaExceeded, and captures start once it is lifted', async () => {
    const lift = await fillQuota(e2e.installation);
    e2e.addCleanup(lift);
    const set = await e2e.requestSet('QuotaExceeded');
    await e2e.expectReason(set, 'QuotaExceeded');
    await lift();
    await e2e.expectReason(set, 'Completed');
    await e2e.expectApproved(set);
  });

  it('captures are Unschedulable while no node fits, and start once a node fits', async () => {
    const label = `tearsheet.dev/e2e-${Date.now().toString(36)}`;
    await e2e.changeProfile({ nodeSelector: { [label]: 'true' } });
    const set = await e2e.requestSet('Unschedulable');
    await e2e.expectReason(set, 'Unschedulable');
    const [node = ''] = (await kubectl(['get', 'nodes', '-l', '!type', '-o', 'name'])).trim().split('\n');
    await kubectl(['label', node, `${label}=true`]);
    e2e.addCleanup(() => kubectl(['label', node, `${label}-`]));
    await e2e.expectReason(set, 'Completed');
    await e2e.expectApproved(set);
  });

  // Refused at once, by this machine.
  const ABSENT = { image: '127.0.0.1:1/absent:1', imagePullPolicy: 'IfNotPresent' } as const;

  it('an image that cannot be pulled is reported as ImagePullFailed, and captures start once it is corrected', async () => {
    await e2e.changeProfile(ABSENT);
    const set = await e2e.requestSet('ImagePullFailed');
    const { status } = await e2e.expectReason(set, 'ImagePullFailed');
    expect(status?.message).toMatch(/ImagePull/);
    await e2e.changeProfile({});
    await e2e.expectApproved(set);
  });

  it('pods that an admission rule rejects are reported as PodRejected', async () => {
    await e2e.changeProfile({ seccompProfile: { type: 'Unconfined' } });
    const set = await e2e.requestSet('PodRejected');
    const { metadata } = await e2e.expectReason(set, 'PodRejected');
    await e2e.installation.kubectl(['delete', 'screenshotjob', metadata.name]);
    await e2e.waitForSetStatus(set, 'canceled');
  });

  it('a volume that cannot be mounted is reported as PodStartFailed', async () => {
    const volumes = [{ name: 'absent', secret: { secretName: 'absent' } }];
    await e2e.changeProfile({ volumes, volumeMounts: [{ name: 'absent', mountPath: '/absent' }] });
    const set = await e2e.requestSet('PodStartFailed');
    // Nothing tells it from a slow start before.
    const { metadata, status } = await e2e.expectReason(set, 'PodStartFailed');
    expect(status?.message).toMatch(/MountVolume|FailedMount/);
    const cancel = ['patch', 'screenshotjob', metadata.name, '--type=merge', '-p', '{"spec":{"cancel":true}}'];
    await e2e.installation.kubectl(cancel);
    await e2e.expectReason(set, 'Canceled');
    await e2e.waitForSetStatus(set, 'canceled');
  });

  it('a set whose captures do not start before the scheduling deadline fails with the last message', async () => {
    await e2e.changeProfile(ABSENT);
    const set = await e2e.requestSet('DeadlineExceeded');
    const settled = await e2e.expectReason(set, 'DeadlineExceeded');
    expect(settled.status?.message).toMatch(/ImagePull/);
    const { screenshots } = await e2e.waitForSetStatus(set, 'failed');
    expect(screenshots[0]?.reason).toMatch(/could not be fetched/);
  });
});
