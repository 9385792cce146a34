import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { JobSeen } from './support/installation.ts';
import { type Flavor, Kueue } from './support/kueue.ts';
import { keepConsole } from './support/programs.ts';
import { useTrial } from './support/trial.ts';
import { requestOf, type ScreenshotSet } from './support/world.ts';

/** Without retries: whatever a pause costs would be seen. */
const trial = useTrial('suspended', { capture: { retries: 0 } });

interface Pod {
  readonly metadata: { readonly annotations: Record<string, string>; readonly labels: Record<string, string> };
  readonly spec: { readonly nodeSelector?: Record<string, string>; readonly tolerations: readonly { key?: string }[] };
  readonly status: { readonly phase: string };
}

interface Job {
  readonly metadata: { readonly name: string; readonly uid: string; readonly labels: Record<string, string> };
  readonly spec: { readonly suspend?: boolean };
}

const isOfSet = ({ metadata }: JobSeen) => `tearsheet.dev/screenshotjob=${metadata.name}`;
const runningPods = async (seen: JobSeen) =>
  (await trial.installation.list<Pod>('pods', isOfSet(seen))).filter(({ status }) => status.phase === 'Running');

async function jobOf(seen: JobSeen): Promise<Job> {
  const [job, ...others] = await trial.installation.list<Job>('jobs', isOfSet(seen));
  expect(others).toEqual([]);
  if (job === undefined) throw new Error(`${seen.metadata.name} has no Job.`);
  return job;
}

async function stands(set: string): Promise<ScreenshotSet> {
  return trial.installation.call<ScreenshotSet>('GET', `/screenshot_sets/${set}`);
}

/** One page is there at once, the other one when its gate is opened. */
async function halfDone(campaign: string): Promise<string> {
  const { world, installation } = trial;
  world.gates.shut(campaign);
  trial.afterwards(() => world.gates.open(campaign));
  const late = world.gates.through(campaign, world.publishers.urlByPath('news'));
  const asked = requestOf(world, { campaign, pages: ['blog'], sites: [late] });
  const { id } = await installation.call<ScreenshotSet>('POST', '/screenshot_requests', asked);
  await world.gates.reached(campaign);
  await eventually(async () => expect((await stands(id)).screenshots[0]?.status).toBe('uploaded'));
  return id;
}

describe('a Job that is suspended', () => {
  it('is named so while somebody holds it, and goes on by what its message says, with nothing lost or charged', async () => {
    const set = await halfDone('paused');
    const running = await trial.installation.status(set, 'Running');
    const job = await jobOf(running);
    const [first] = (await stands(set)).screenshots;

    await trial.installation.kubectl(['patch', 'job', job.metadata.name, '-p', '{"spec":{"suspend":true}}']);
    const { status } = await trial.named(set, 'Suspended');
    expect(status).toMatchObject({ progress: '1/2', done: 1, failed: 0 });
    await eventually(async () => expect(await runningPods(running)).toEqual([]));
    const [, name = '', change = ''] = /: kubectl patch job (\S+) -p '(.+)'$/.exec(status?.message ?? '') ?? [];
    await trial.installation.kubectl(['patch', 'job', name, '-p', change]);
    await trial.installation.status(set, 'Running');
    const again = await eventually(async () => {
      const [pod] = await runningPods(running);
      return pod?.metadata.annotations ?? Promise.reject(new Error('No pod runs.'));
    });
    expect(again['batch.kubernetes.io/job-index-failure-count']).toBe('0');
    expect((await jobOf(running)).metadata.uid).toBe(job.metadata.uid);

    trial.world.gates.open('paused');
    await trial.named(set, 'Completed', 60_000);
    await trial.approved(set);
    expect((await stands(set)).screenshots[0]?.image_url).toBe(first?.image_url);
  });

  it('waits for Kueue where the profile names a queue, goes where Kueue sends it, and may be preempted', async () => {
    await trial.profile({ queueName: 'captures' });
    const set = await trial.ask('queued', 'queued');
    const waiting = await trial.named(set, 'Suspended');
    const kept = await trial.seen(['get', 'screenshotjob', waiting.metadata.name, '-o', 'wide']);
    expect(waiting.status).toMatchObject({ message: expect.stringContaining('the queue "captures"'), pods: 0 });
    const { metadata, spec } = await jobOf(waiting);
    expect([metadata.labels['kueue.x-k8s.io/queue-name'], spec.suspend]).toEqual(['captures', true]);

    const kueue = new Kueue(trial.installation);
    const spot = { key: 'example.com/spot', operator: 'Exists', effect: 'NoSchedule' };
    const first: Flavor = { nodeLabels: { 'kubernetes.io/os': 'linux' }, tolerations: [spot] };
    await kueue.admit(metadata.name, first);
    await trial.world.gates.reached('queued');
    await trial.installation.status(set, 'Running');
    const [pod] = await runningPods(waiting);
    expect(pod?.spec.nodeSelector).toEqual(first.nodeLabels);
    expect(pod?.spec.tolerations.map(({ key }) => key)).toContain(spot.key);
    expect(pod?.metadata.labels['kueue.x-k8s.io/podset']).toBe('main');

    await kueue.preempt(metadata.name, first);
    await trial.installation.status(set, 'Suspended');
    await eventually(async () => expect(await runningPods(waiting)).toEqual([]));
    await kueue.admit(metadata.name, { nodeLabels: {}, tolerations: [] });
    trial.world.gates.open('queued');
    await trial.installation.status(set, 'Completed', 60_000);
    await trial.approved(set);
    keepConsole('kueue', `${kept}\n${await trial.seen(['get', 'screenshotjob', waiting.metadata.name, '-o', 'wide'])}`);
  });
});
