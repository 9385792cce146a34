import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { keepConsole, kubectl } from './support/commands.ts';
import { useE2eContext } from './support/e2eContext.ts';
import type { ScreenshotSet } from './support/externalServers.ts';
import type { ScreenshotJobResource } from './support/helmInstallation.ts';

const e2e = useE2eContext('ending');

/** A set whose capture is held back, running. */
async function running(campaign: string): Promise<{ set: string; job: ScreenshotJobResource }> {
  const set = await e2e.requestHeldSet(campaign);
  return { set, job: await e2e.installation.waitForReason(set, 'Running') };
}

async function noCaptures(): Promise<void> {
  await eventually(async () => {
    expect(await e2e.installation.list('pods', 'app.kubernetes.io/component=capture')).toEqual([]);
    expect(await e2e.installation.list('jobs', 'app.kubernetes.io/component=capture')).toEqual([]);
  });
}

async function statusOf(set: string): Promise<string> {
  return (await e2e.installation.call<ScreenshotSet>('GET', `/screenshot_sets/${set}`)).status;
}

describe('a running ScreenshotJob', () => {
  it('deleting a ScreenshotJob ends its pods and cancels its set', async () => {
    const { set, job } = await running('Deleted');
    const printed = await e2e.installation.kubectl(['delete', 'screenshotjob', job.metadata.name], {
      timeoutMs: 240_000,
    });
    keepConsole('delete', `$ kubectl delete screenshotjob ${job.metadata.name}\n${printed}`);
    expect(await statusOf(set)).toBe('canceled');
    await noCaptures();
    expect(await e2e.installation.jobs()).toEqual([]);
  });

  it('setting spec.cancel ends the pods, cancels the set and is shown in the status', async () => {
    const { set, job } = await running('Canceled');
    const name = `screenshotjob/${job.metadata.name}`;
    await e2e.installation.kubectl(['patch', name, '--type=merge', '-p', '{"spec":{"cancel":true}}']);
    await e2e.installation.kubectl(['wait', '--for=condition=Settled', name, '--timeout=240s'], { timeoutMs: 250_000 });
    await e2e.installation.waitForReason(set, 'Canceled');
    keepConsole(
      'cancel',
      `$ kubectl patch ${name} --type=merge -p '{"spec":{"cancel":true}}'\n$ kubectl get screenshotjobs\n${await e2e.installation.kubectl(['get', 'screenshotjobs'])}`,
    );
    expect(await statusOf(set)).toBe('canceled');
    await noCaptures();
  });

  it('no field but spec.cancel can be changed, and spec.cancel cannot be set back', async () => {
    const { job } = await running('Fixed');
    const name = `screenshotjob/${job.metadata.name}`;
    const patched = (change: object) =>
      e2e.installation.tryKubectl(['patch', name, '--type=merge', '-p', JSON.stringify({ spec: change })]);
    expect((await patched({ parallelism: 7 })).code).not.toBe(0);
    expect((await patched({ cancel: true })).code).toBe(0);
    const back = await patched({ cancel: false });
    expect(back.code).not.toBe(0);
    keepConsole('immutable', `$ kubectl patch ${name} --type=merge -p '{"spec":{"cancel":false}}'\n${back.stderr}`);
    await noCaptures();
  });
});

describe('a Helm release', () => {
  it('helm uninstall during captures leaves nothing but the definition of ScreenshotJob', async () => {
    await running('Removed');
    const printed = await e2e.installation.uninstall();
    keepConsole(
      'uninstall',
      `$ helm uninstall t --wait\n${printed}\n$ kubectl get all,screenshotjobs,configmaps,secrets,serviceaccounts,roles,rolebindings,leases,pvc\n${await e2e.installation.kubectl(['get', 'all,screenshotjobs,configmaps,secrets,serviceaccounts,roles,rolebindings,leases,pvc'])}`,
    );
    await noCaptures();
    for (const kind of [
      'screenshotjobs',
      'jobs',
      'deployments',
      'statefulsets',
      'services',
      'secrets',
      'networkpolicies',
      'roles',
      'persistentvolumeclaims',
    ] as const) {
      expect([kind, await e2e.installation.list(kind)]).toEqual([kind, []]);
    }
    // Kubernetes deletes the Lease soon after its owner.
    await eventually(async () => expect(await e2e.installation.list('leases')).toEqual([]));
    const names = await e2e.installation.kubectl(['get', 'configmaps,serviceaccounts', '-o', 'name']);
    expect(names.split('\n').filter((name) => name.includes('tearsheet'))).toEqual([]);
    await kubectl(['get', 'crd', 'screenshotjobs.tearsheet.dev']);
  });

  it('the namespace can be deleted after helm uninstall', async () => {
    await e2e.installation.namespace.remove({ waits: true });
  });
});
