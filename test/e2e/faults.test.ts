import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { isOwnCluster } from './support/environment.ts';
import { Installation } from './support/installation.ts';
import { changeProfile } from './support/profile.ts';
import { keepConsole, kubectl } from './support/programs.ts';
import { requestOf, type ScreenshotSet, startWorld, type World } from './support/world.ts';

let world: World;
let installation: Installation;
const mend: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  world = await startWorld(() => installation.organization.webhook_secret);
  installation = await Installation.install('faults', { api: { replicas: 2 }, controller: { replicas: 2 } });
  await installation.createOrganization();
});
afterEach(async () => {
  for (const undo of mend.splice(0).reverse()) await undo();
});
afterAll(async () => {
  await installation?.remove();
  await world?.close();
});

/** A set whose capture is held back at its creative. */
async function held(campaign: string): Promise<string> {
  world.gates.shut(campaign);
  mend.push(async () => world.gates.open(campaign));
  const asked = requestOf(world, { campaign, gate: campaign });
  const { id } = await installation.call<ScreenshotSet>('POST', '/screenshot_requests', asked);
  await world.gates.reached(campaign);
  return id;
}

async function approved(set: string): Promise<void> {
  await eventually(async () => {
    const { status, screenshots } = await installation.call<ScreenshotSet>('GET', `/screenshot_sets/${set}`);
    expect([status, screenshots.map(({ reason, status: each }) => reason ?? each)]).toEqual(['approved', ['uploaded']]);
  }, 200_000);
  await eventually(() => expect(new Set(world.receiver.accepted('screenshot_set.approved', set)).size).toBe(1));
}

const holder = async (): Promise<string> => {
  const [lease] = await installation.list<{ spec: { holderIdentity?: string } }>('leases');
  return lease?.spec.holderIdentity ?? '';
};

const kill = (...pods: string[]) => installation.kubectl(['delete', 'pod', ...pods, '--grace-period=0', '--force']);

describe('a process that is killed while a set is captured', () => {
  it('is followed by the other controller, where it led', async () => {
    const set = await held('leader');
    const leader = await holder();
    const since = Date.now();
    await kill(leader);
    const next = await eventually(async () => {
      const now = await holder();
      expect(now).not.toBe(leader);
      expect(now).not.toBe('');
      return now;
    }, 40_000);
    keepConsole(
      'leader-killed',
      `${leader} led and was killed; ${next} leads after ${((Date.now() - since) / 1000).toFixed(1)} s`,
    );
    world.gates.open('leader');
    await approved(set);
  });

  it('costs nothing where it was the API, all of it', async () => {
    const set = await held('api');
    const pods = await installation.list<{ metadata: { name: string } }>('pods', 'app.kubernetes.io/component=api');
    await kill(...pods.map(({ metadata }) => metadata.name));
    world.gates.open('api');
    await approved(set);
  });

  it('costs nothing where it was both controllers', async () => {
    const set = await held('controllers');
    const pods = await installation.list<{ metadata: { name: string } }>(
      'pods',
      'app.kubernetes.io/component=controller',
    );
    await kill(...pods.map(({ metadata }) => metadata.name));
    world.gates.open('controllers');
    await approved(set);
  });
});

describe('a part of the cluster that fails while a set is captured', () => {
  it(
    'is named NodeLost where it is the node, and the set goes on elsewhere',
    async () => {
      const node = `lost-${randomBytes(3).toString('hex')}`;
      await addNode(node);
      mend.push(() => kubectl(['delete', 'node', node, '--ignore-not-found']));
      const restore = await changeProfile(installation, {
        nodeSelector: { 'kubernetes.io/hostname': node },
        tolerations: [{ key: 'tearsheet.dev/e2e', operator: 'Exists' }],
      });
      const { id } = await installation.call<ScreenshotSet>(
        'POST',
        '/screenshot_requests',
        requestOf(world, { campaign: 'Node' }),
      );
      await eventually(async () => {
        const pods = await installation.list<{ spec: { nodeName?: string } }>(
          'pods',
          'app.kubernetes.io/component=capture',
        );
        expect(pods.map(({ spec }) => spec.nodeName)).toEqual([node]);
      });
      await setReady(node, 'Unknown');
      const { metadata } = await installation.status(id, 'NodeLost', 30_000);
      const seen = await installation.kubectl(['get', 'screenshotjobs', metadata.name, '-o', 'wide']);
      keepConsole(
        'failure-NodeLost',
        `$ kubectl get screenshotjobs ${metadata.name} -o wide\n${seen}\n$ kubectl get nodes\n${await kubectl(['get', 'nodes'])}`,
      );
      await restore();
      await installation.status(id, 'Completed', 240_000);
      await approved(id);
    },
    8 * 60_000,
  );

  it.skipIf(!isOwnCluster())('costs nothing where it is the API server of Kubernetes', async () => {
    const set = await held('server');
    const cluster = path.join(import.meta.dirname, '../cluster/cluster');
    await promisify(execFile)(cluster, ['kill', 'kube-apiserver'], { timeout: 20_000 });
    mend.push(() => promisify(execFile)(cluster, ['up'], { timeout: 200_000 }));
    // Its captures need it no more than the results do; only new ones would.
    world.gates.open('server');
    await approved(set);
    await promisify(execFile)(cluster, ['up'], { timeout: 200_000 });
    await installation.status(set, 'Completed', 60_000);
  });
});

/** A node that nobody runs: pods are put on it and stay there. */
async function addNode(name: string): Promise<void> {
  const node = {
    ...{ apiVersion: 'v1', kind: 'Node' },
    metadata: { name, labels: { type: 'lost', 'kubernetes.io/hostname': name } },
    spec: { taints: [{ key: 'tearsheet.dev/e2e', value: 'lost', effect: 'NoSchedule' }] },
  };
  await kubectl(['apply', '-f', '-'], { input: JSON.stringify(node) });
  await setReady(name, 'True');
}

async function setReady(name: string, status: 'True' | 'Unknown'): Promise<void> {
  const now = new Date().toISOString();
  const [reason, size] = ['Test', { cpu: '4', memory: '16Gi', pods: '20', 'ephemeral-storage': '100Gi' }];
  const conditions = [
    { type: 'Ready', status, reason, message: reason, lastHeartbeatTime: now, lastTransitionTime: now },
  ];
  const patch = JSON.stringify({ status: { conditions, capacity: size, allocatable: size } });
  await kubectl(['patch', 'node', name, '--subresource=status', '--type=strategic', '-p', patch]);
}
