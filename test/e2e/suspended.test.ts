import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { keepConsole } from './support/commands.ts';
import { useE2eContext } from './support/e2eContext.ts';
import { type ScreenshotSet, screenshotRequest } from './support/externalServers.ts';
import { type ScreenshotJobResource, selectorOf } from './support/helmInstallation.ts';
import { type Flavor, Kueue } from './support/kueue.ts';

/** Without retries: whatever a pause costs would be seen. */
const e2e = useE2eContext('suspended', { capture: { retries: 0 } });

interface Pod {
  readonly metadata: { readonly annotations: Record<string, string>; readonly labels: Record<string, string> };
  readonly spec: { readonly nodeSelector?: Record<string, string>; readonly tolerations: readonly { key?: string }[] };
  readonly status: { readonly phase: string };
}

interface Job {
  readonly metadata: { readonly name: string; readonly uid: string; readonly labels: Record<string, string> };
  readonly spec: { readonly suspend?: boolean };
}

const runningPods = async (seen: ScreenshotJobResource) =>
  (await e2e.installation.list<Pod>('pods', selectorOf(seen))).filter(({ status }) => status.phase === 'Running');

async function jobOf(seen: ScreenshotJobResource): Promise<Job> {
  const [job, ...others] = await e2e.installation.list<Job>('jobs', selectorOf(seen));
  expect(others).toEqual([]);
  if (job === undefined) throw new Error(`${seen.metadata.name} has no Job.`);
  return job;
}

async function stands(set: string): Promise<ScreenshotSet> {
  return e2e.installation.call<ScreenshotSet>('GET', `/screenshot_sets/${set}`);
}

/** One page is there at once, the other one when its gate is opened. */
async function halfDone(campaign: string): Promise<string> {
  const { servers, installation } = e2e;
  e2e.holdGate(campaign);
  const late = servers.requestGate.urlFor(campaign, servers.publishers.urlByPath('news'));
  const asked = screenshotRequest(servers, { campaign, pages: ['blog'], sites: [late] });
  const { id } = await installation.call<ScreenshotSet>('POST', '/screenshot_requests', asked);
  await servers.requestGate.waitForRequest(campaign);
  await eventually(async () => expect((await stands(id)).screenshots[0]?.status).toBe('uploaded'));
  return id;
}

describe('a Job that is suspended', () => {
  it('a suspended Job has the reason Suspended, and resumes as its message says, without a lost or counted attempt', async () => {
    const set = await halfDone('paused');
    const running = await e2e.installation.waitForReason(set, 'Running');
    const job = await jobOf(running);
    const [first] = (await stands(set)).screenshots;

    await e2e.installation.kubectl(['patch', 'job', job.metadata.name, '-p', '{"spec":{"suspend":true}}']);
    const { status } = await e2e.expectReason(set, 'Suspended');
    expect(status).toMatchObject({ progress: '1/2', done: 1, failed: 0 });
    await eventually(async () => expect(await runningPods(running)).toEqual([]));
    const [, name = '', change = ''] = /: kubectl patch job (\S+) -p '(.+)'$/.exec(status?.message ?? '') ?? [];
    await e2e.installation.kubectl(['patch', 'job', name, '-p', change]);
    await e2e.installation.waitForReason(set, 'Running');
    const again = await eventually(async () => {
      const [pod] = await runningPods(running);
      return pod?.metadata.annotations ?? Promise.reject(new Error('No pod runs.'));
    });
    expect(again['batch.kubernetes.io/job-index-failure-count']).toBe('0');
    expect((await jobOf(running)).metadata.uid).toBe(job.metadata.uid);

    e2e.servers.requestGate.release('paused');
    await e2e.expectReason(set, 'Completed');
    await e2e.expectApproved(set);
    expect((await stands(set)).screenshots[0]?.image_url).toBe(first?.image_url);
  });

  it('a Job with a Kueue queue waits for Kueue, runs where Kueue sends it, and can be preempted', async () => {
    await e2e.changeProfile({ queueName: 'captures' });
    const set = await e2e.requestSet('queued', 'queued');
    const waiting = await e2e.expectReason(set, 'Suspended');
    const kept = await e2e.kubectlOutput(['get', 'screenshotjob', waiting.metadata.name, '-o', 'wide']);
    expect(waiting.status).toMatchObject({ message: expect.stringContaining('the queue "captures"'), pods: 0 });
    const { metadata, spec } = await jobOf(waiting);
    expect([metadata.labels['kueue.x-k8s.io/queue-name'], spec.suspend]).toEqual(['captures', true]);

    const kueue = new Kueue(e2e.installation);
    const spot = { key: 'example.com/spot', operator: 'Exists', effect: 'NoSchedule' };
    const first: Flavor = { nodeLabels: { 'kubernetes.io/os': 'linux' }, tolerations: [spot] };
    await kueue.admit(metadata.name, first);
    await e2e.servers.requestGate.waitForRequest('queued');
    await e2e.installation.waitForReason(set, 'Running');
    const [pod] = await runningPods(waiting);
    expect(pod?.spec.nodeSelector).toEqual(first.nodeLabels);
    expect(pod?.spec.tolerations.map(({ key }) => key)).toContain(spot.key);
    expect(pod?.metadata.labels['kueue.x-k8s.io/podset']).toBe('main');

    await kueue.preempt(metadata.name, first);
    await e2e.installation.waitForReason(set, 'Suspended');
    await eventually(async () => expect(await runningPods(waiting)).toEqual([]));
    await kueue.admit(metadata.name, { nodeLabels: {}, tolerations: [] });
    e2e.servers.requestGate.release('queued');
    await e2e.installation.waitForReason(set, 'Completed');
    await e2e.expectApproved(set);
    keepConsole(
      'kueue',
      `${kept}\n${await e2e.kubectlOutput(['get', 'screenshotjob', waiting.metadata.name, '-o', 'wide'])}`,
    );
  });
});
