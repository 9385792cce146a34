import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { keepConsole } from './support/commands.ts';
import { useE2eContext } from './support/e2eContext.ts';

const e2e = useE2eContext('processes', { api: { replicas: 2 }, controller: { replicas: 2 } });

/** The pod of the leader. The Lease names the pod and the process in it. */
const holder = async (): Promise<string> => {
  const [lease] = await e2e.installation.list<{ spec: { holderIdentity?: string } }>('leases');
  return (lease?.spec.holderIdentity ?? '').replace(/_\d+$/, '');
};

const kill = (pods: readonly string[]) =>
  e2e.installation.kubectl(['delete', 'pod', ...pods, '--grace-period=0', '--force']);

async function killAll(component: string): Promise<void> {
  const found = await e2e.installation.list<{ metadata: { name: string } }>(
    'pods',
    `app.kubernetes.io/component=${component}`,
  );
  await kill(found.map(({ metadata }) => metadata.name));
}

describe('a process is killed while a set is captured', () => {
  it('the other controller becomes the leader when the leader is killed', async () => {
    const set = await e2e.requestHeldSet('leader');
    const leader = await holder();
    const since = Date.now();
    await kill([leader]);
    const next = await eventually(async () => {
      const now = await holder();
      expect(['', leader]).not.toContain(now);
      return now;
    });
    const seconds = ((Date.now() - since) / 1000).toFixed(1);
    keepConsole('leader-killed', `${leader} led and was killed; ${next} leads after ${seconds} s`);
    e2e.servers.requestGate.release('leader');
    await e2e.expectApproved(set);
  });

  it('a set is complete when all API processes are killed', async () => {
    const set = await e2e.requestHeldSet('api');
    await killAll('api');
    e2e.servers.requestGate.release('api');
    await e2e.installation.waitUntilReady();
    await e2e.expectApproved(set);
  });

  it('a set is complete when both controllers are killed', async () => {
    const set = await e2e.requestHeldSet('controllers');
    await killAll('controller');
    e2e.servers.requestGate.release('controllers');
    await e2e.expectApproved(set);
  });
});
