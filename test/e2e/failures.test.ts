import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CaptureProfile } from '../../src/contract/captureProfile.ts';
import { eventually } from '../support/eventually.ts';
import { Installation, type JobSeen } from './support/installation.ts';
import { changeProfile } from './support/profile.ts';
import { keepConsole, kubectl } from './support/programs.ts';
import { requestOf, type ScreenshotSet, startWorld, type World } from './support/world.ts';

/** A problem must be named so soon after the request, or after it came up. */
const NAMED_MS = 30_000;
/** Until every retry of an index is used up. */
const EXHAUSTED_MS = 240_000;

let world: World;
let installation: Installation;
const mend: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  world = await startWorld(() => installation.organization.webhook_secret);
  installation = await Installation.install('failures', {
    capture: { retries: 1, schedulingDeadlineSeconds: 60 },
  });
  await installation.createOrganization();
});
afterEach(async () => {
  for (const undo of mend.splice(0).reverse()) await undo();
});
afterAll(async () => {
  await installation?.remove();
  await world?.close();
});

async function profile(change: Partial<CaptureProfile>): Promise<void> {
  mend.push(await changeProfile(installation, change));
}

async function ask(campaign: string, gate?: string): Promise<string> {
  if (gate !== undefined) {
    world.gates.shut(gate);
    mend.push(async () => world.gates.open(gate));
  }
  const asked = requestOf(world, { campaign, ...(gate === undefined ? {} : { gate }) });
  return (await installation.call<ScreenshotSet>('POST', '/screenshot_requests', asked)).id;
}

/** Waits for the STATUS, and keeps what an operator sees then. */
async function named(set: string, reason: string, timeoutMs = NAMED_MS): Promise<JobSeen> {
  const job = await installation.status(set, reason, timeoutMs);
  await look(job, reason);
  return job;
}

async function look(job: JobSeen, name: string): Promise<void> {
  const { metadata } = job;
  const of = ['-l', `tearsheet.dev/screenshotjob=${metadata.name}`];
  const commands = [
    ['get', 'screenshotjob', metadata.name],
    ['get', 'screenshotjob', metadata.name, '-o', 'jsonpath={.status.message}'],
    ['get', 'pods', ...of],
    ['get', 'events', '--field-selector', `involvedObject.name=${metadata.name}`],
  ];
  const parts: string[] = [];
  for (const args of commands)
    parts.push(`$ kubectl ${args.join(' ')}\n${(await installation.tryKubectl(args)).stdout}`);
  keepConsole(`failure-${name}`, parts.join('\n'));
}

/** No request is left without an end. */
async function ends(set: string, status: string, timeoutMs = 90_000): Promise<ScreenshotSet> {
  return eventually(async () => {
    const now = await installation.call<ScreenshotSet>('GET', `/screenshot_sets/${set}`);
    if (now.status !== status) throw new Error(`The set is ${now.status}, not ${status}: ${JSON.stringify(now)}`);
    return now;
  }, timeoutMs);
}

describe('what keeps captures from running, on a real cluster', () => {
  it('is named Unschedulable while no node takes them, and over once one does', async () => {
    const label = `tearsheet.dev/e2e-${Date.now().toString(36)}`;
    await profile({ nodeSelector: { [label]: 'true' } });
    const set = await ask('Unschedulable');
    await named(set, 'Unschedulable');
    const [node] = (await kubectl(['get', 'nodes', '-l', '!type', '-o', 'name'])).trim().split('\n');
    await kubectl(['label', node ?? '', `${label}=true`]);
    mend.push(() => kubectl(['label', node ?? '', `${label}-`]));
    await named(set, 'Completed', 60_000);
    await ends(set, 'approved');
  });

  it('is named ImagePullFailed, and fails when nothing has started by the deadline for that', async () => {
    // Refused at once, by this machine.
    await profile({ image: '127.0.0.1:1/absent:1', imagePullPolicy: 'IfNotPresent' });
    const set = await ask('ImagePullFailed');
    const { status } = await named(set, 'ImagePullFailed');
    expect(status?.message).toMatch(/ImagePull/);
    const settled = await named(set, 'DeadlineExceeded', 120_000);
    expect(settled.status?.message).toMatch(/ImagePull/);
    const { screenshots } = await ends(set, 'failed');
    expect(screenshots[0]?.reason).toMatch(/image/i);
  });

  it('is named QuotaExceeded, and over once the quota is lifted', async () => {
    const pods = await installation.list('pods');
    await installation.kubectl(['create', 'quota', 'none', `--hard=pods=${pods.length}`]);
    const lift = () => installation.kubectl(['delete', 'quota', 'none', '--ignore-not-found']);
    mend.push(lift);
    const set = await ask('QuotaExceeded');
    await named(set, 'QuotaExceeded');
    await lift();
    await named(set, 'Completed', 150_000);
    await ends(set, 'approved');
  });

  it('is named PodRejected when an admission rule refuses the pods', async () => {
    await profile({ seccompProfile: { type: 'Unconfined' } });
    const set = await ask('PodRejected');
    const { metadata } = await named(set, 'PodRejected');
    await installation.kubectl(['delete', 'screenshotjob', metadata.name], { timeoutMs: 90_000 });
    await ends(set, 'canceled');
  });

  it('is named PodStartFailed when a volume cannot be mounted', async () => {
    const volumes = [{ name: 'absent', secret: { secretName: 'absent' } }];
    await profile({ volumes, volumeMounts: [{ name: 'absent', mountPath: '/absent' }] });
    const set = await ask('PodStartFailed');
    const { metadata, status } = await named(set, 'PodStartFailed', NAMED_MS + 20_000);
    expect(status?.message).toMatch(/MountVolume|FailedMount/);
    await installation.kubectl([
      'patch',
      'screenshotjob',
      metadata.name,
      '--type=merge',
      '-p',
      '{"spec":{"cancel":true}}',
    ]);
    await named(set, 'Canceled', 60_000);
    await ends(set, 'canceled');
  });
});

describe('what ends captures before they are done, on a real cluster', () => {
  it('is named OOMKilled while a capture has too little memory, and fails once its retries are used up', async () => {
    await profile({ resources: { limits: { memory: '40Mi' } }, shmSize: '8Mi' });
    const set = await ask('OOMKilled');
    await named(set, 'OOMKilled');
    const { status } = await named(set, 'Failed', EXHAUSTED_MS);
    expect(status?.failed).toBe(1);
    const { screenshots } = await ends(set, 'failed');
    expect(screenshots[0]?.reason).toBeTruthy();
  });

  it('is named Evicted when a capture fills the disk it was given, and fails once its retries are used up', async () => {
    await profile({ tmpSize: '64Ki' });
    const set = await ask('Evicted', 'evicted');
    await named(set, 'Evicted', 60_000);
    await named(set, 'Failed', EXHAUSTED_MS);
    await ends(set, 'failed');
  });

  it('is made good where somebody deletes the pod', async () => {
    const set = await ask('Deleted', 'deleted');
    const { metadata } = await named(set, 'Running', 60_000);
    await world.gates.reached('deleted');
    await installation.kubectl([
      'delete',
      'pods',
      '-l',
      `tearsheet.dev/screenshotjob=${metadata.name}`,
      '--wait=false',
    ]);
    world.gates.open('deleted');
    await named(set, 'Completed', 120_000);
    await ends(set, 'approved');
  });

  it('is a deadline of the set, which fails what is missing by then', async () => {
    await installation.upgrade({ capture: { setDeadlineSeconds: 15, schedulingDeadlineSeconds: 15 } });
    mend.push(() => installation.upgrade({}));
    const set = await ask('Deadline', 'deadline');
    await named(set, 'DeadlineExceeded', 60_000);
    await ends(set, 'failed');
  });
});
