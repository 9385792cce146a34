import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { JobSeen } from './support/installation.ts';
import { keepConsole, kubectl } from './support/programs.ts';
import { useTrial } from './support/trial.ts';
import type { ScreenshotSet } from './support/world.ts';

const trial = useTrial('ending');

/** A set whose capture is held back, running. */
async function running(campaign: string): Promise<{ set: string; job: JobSeen }> {
  const set = await trial.held(campaign);
  return { set, job: await trial.installation.status(set, 'Running') };
}

async function noCaptures(): Promise<void> {
  await eventually(async () => {
    expect(await trial.installation.list('pods', 'app.kubernetes.io/component=capture')).toEqual([]);
    expect(await trial.installation.list('jobs', 'app.kubernetes.io/component=capture')).toEqual([]);
  }, 90_000);
}

async function statusOf(set: string): Promise<string> {
  return (await trial.installation.call<ScreenshotSet>('GET', `/screenshot_sets/${set}`)).status;
}

describe('a running ScreenshotJob', () => {
  it('ends its pods and settles the set as canceled when it is deleted', async () => {
    const { set, job } = await running('Deleted');
    const printed = await trial.installation.kubectl(['delete', 'screenshotjob', job.metadata.name], {
      timeoutMs: 90_000,
    });
    keepConsole('delete', `$ kubectl delete screenshotjob ${job.metadata.name}\n${printed}`);
    expect(await statusOf(set)).toBe('canceled');
    await noCaptures();
    expect(await trial.installation.jobs()).toEqual([]);
  });

  it('ends its pods and settles the set as canceled when spec.cancel is set, and shows so', async () => {
    const { set, job } = await running('Canceled');
    const name = `screenshotjob/${job.metadata.name}`;
    await trial.installation.kubectl(['patch', name, '--type=merge', '-p', '{"spec":{"cancel":true}}']);
    await trial.installation.kubectl(['wait', '--for=condition=Settled', name, '--timeout=60s'], { timeoutMs: 70_000 });
    await trial.installation.status(set, 'Canceled');
    keepConsole(
      'cancel',
      `$ kubectl patch ${name} --type=merge -p '{"spec":{"cancel":true}}'\n$ kubectl get screenshotjobs\n${await trial.installation.kubectl(['get', 'screenshotjobs'])}`,
    );
    expect(await statusOf(set)).toBe('canceled');
    await noCaptures();
  });

  it('cannot be changed but for being canceled, and not called back', async () => {
    const { job } = await running('Fixed');
    const name = `screenshotjob/${job.metadata.name}`;
    const patched = (change: object) =>
      trial.installation.tryKubectl(['patch', name, '--type=merge', '-p', JSON.stringify({ spec: change })]);
    expect((await patched({ parallelism: 7 })).code).not.toBe(0);
    expect((await patched({ cancel: true })).code).toBe(0);
    const back = await patched({ cancel: false });
    expect(back.code).not.toBe(0);
    keepConsole('immutable', `$ kubectl patch ${name} --type=merge -p '{"spec":{"cancel":false}}'\n${back.stderr}`);
    await noCaptures();
  });
});

describe('the release', () => {
  it('leaves nothing behind when it is removed while captures run, but what its notes name', async () => {
    await running('Removed');
    const printed = await trial.installation.uninstall();
    keepConsole(
      'uninstall',
      `$ helm uninstall t --wait\n${printed}\n$ kubectl get all,screenshotjobs,configmaps,secrets,serviceaccounts,roles,rolebindings,leases,pvc\n${await trial.installation.kubectl(['get', 'all,screenshotjobs,configmaps,secrets,serviceaccounts,roles,rolebindings,leases,pvc'])}`,
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
      expect([kind, await trial.installation.list(kind)]).toEqual([kind, []]);
    }
    await kubectl(['get', 'crd', 'screenshotjobs.tearsheet.dev']);
  });

  it('leaves a namespace that can be deleted', async () => {
    await trial.installation.namespace.remove({ waits: true });
  });
});
