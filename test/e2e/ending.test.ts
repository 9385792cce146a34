import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Installation, type JobSeen } from './support/installation.ts';
import { keepConsole, kubectl } from './support/programs.ts';
import { requestOf, type ScreenshotSet, startWorld, type World } from './support/world.ts';

let world: World;
let installation: Installation;

beforeAll(async () => {
  world = await startWorld(() => installation.organization.webhook_secret);
  installation = await Installation.install('ending');
  await installation.createOrganization();
});
afterAll(async () => {
  await installation?.remove();
  await world?.close();
});

/** A set whose capture is held back, running. */
async function running(campaign: string): Promise<{ set: string; job: JobSeen }> {
  const gate = campaign.toLowerCase();
  world.gates.shut(gate);
  const asked = requestOf(world, { campaign, gate });
  const { id } = await installation.call<ScreenshotSet>('POST', '/screenshot_requests', asked);
  await world.gates.reached(gate);
  return { set: id, job: await installation.status(id, 'Running') };
}

async function noCaptures(): Promise<void> {
  await eventually(async () => {
    expect(await installation.list('pods', 'app.kubernetes.io/component=capture')).toEqual([]);
    expect(await installation.list('jobs', 'app.kubernetes.io/component=capture')).toEqual([]);
  }, 90_000);
}

async function statusOf(set: string): Promise<string> {
  return (await installation.call<ScreenshotSet>('GET', `/screenshot_sets/${set}`)).status;
}

describe('a running ScreenshotJob', () => {
  it('ends its pods and settles the set as canceled when it is deleted', async () => {
    const { set, job } = await running('Deleted');
    const printed = await installation.kubectl(['delete', 'screenshotjob', job.metadata.name], { timeoutMs: 90_000 });
    keepConsole('delete', `$ kubectl delete screenshotjob ${job.metadata.name}\n${printed}`);
    expect(await statusOf(set)).toBe('canceled');
    await noCaptures();
    expect(await installation.jobs()).toEqual([]);
    world.gates.open('deleted');
  });

  it('ends its pods and settles the set as canceled when spec.cancel is set, and shows so', async () => {
    const { set, job } = await running('Canceled');
    const name = `screenshotjob/${job.metadata.name}`;
    await installation.kubectl(['patch', name, '--type=merge', '-p', '{"spec":{"cancel":true}}']);
    await installation.kubectl(['wait', '--for=condition=Settled', name, '--timeout=60s'], { timeoutMs: 70_000 });
    await installation.status(set, 'Canceled');
    keepConsole(
      'cancel',
      `$ kubectl patch ${name} --type=merge -p '{"spec":{"cancel":true}}'\n$ kubectl get screenshotjobs\n${await installation.kubectl(['get', 'screenshotjobs'])}`,
    );
    expect(await statusOf(set)).toBe('canceled');
    await noCaptures();
    world.gates.open('canceled');
  });

  it('cannot be changed but for being canceled, and not called back', async () => {
    const { job } = await running('Fixed');
    const name = `screenshotjob/${job.metadata.name}`;
    const patched = (change: object) =>
      installation.tryKubectl(['patch', name, '--type=merge', '-p', JSON.stringify({ spec: change })]);
    expect((await patched({ parallelism: 7 })).code).not.toBe(0);
    expect((await patched({ cancel: true })).code).toBe(0);
    const back = await patched({ cancel: false });
    expect(back.code).not.toBe(0);
    keepConsole('immutable', `$ kubectl patch ${name} --type=merge -p '{"spec":{"cancel":false}}'\n${back.stderr}`);
    world.gates.open('fixed');
    await noCaptures();
  });
});

describe('the release', () => {
  it('leaves nothing behind when it is removed while captures run, but what its notes name', async () => {
    await running('Removed');
    const printed = await installation.uninstall();
    keepConsole(
      'uninstall',
      `$ helm uninstall t --wait\n${printed}\n$ kubectl get all,screenshotjobs,configmaps,secrets,serviceaccounts,roles,rolebindings,leases,pvc\n${await installation.kubectl(['get', 'all,screenshotjobs,configmaps,secrets,serviceaccounts,roles,rolebindings,leases,pvc'])}`,
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
      'pvc',
    ]) {
      expect([kind, await installation.list(kind)]).toEqual([kind, []]);
    }
    await kubectl(['get', 'crd', 'screenshotjobs.tearsheet.dev']);
    world.gates.open('removed');
  });

  it('leaves a namespace that can be deleted', async () => {
    await installation.namespace.remove({ waits: true });
  });
});
