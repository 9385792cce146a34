import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { keepConsole, kubectl } from './support/commands.ts';
import { useE2eContext } from './support/e2eContext.ts';
import { selectorOf } from './support/helmInstallation.ts';

const e2e = useE2eContext('node');

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
  const size = { cpu: '4', memory: '16Gi', pods: '20', 'ephemeral-storage': '100Gi' };
  const times = { lastHeartbeatTime: now, lastTransitionTime: now };
  const conditions = [{ type: 'Ready', status, reason: 'Test', message: 'Played by a test', ...times }];
  const patch = JSON.stringify({ status: { conditions, capacity: size, allocatable: size } });
  await kubectl(['patch', 'node', name, '--subresource=status', '--type=strategic', '-p', patch]);
}

/** `alone/kubelet.test.ts` tests a kubelet that comes back. */
describe('a node that is lost for good while a set is captured', () => {
  it('the reason is NodeLost, and the set continues on another node beside the pod that cannot end', async () => {
    const node = `lost-${randomBytes(3).toString('hex')}`;
    await addNode(node);
    e2e.addCleanup(() => kubectl(['delete', 'node', node, '--ignore-not-found']));
    await e2e.changeProfile({
      nodeSelector: { 'kubernetes.io/hostname': node },
      tolerations: [{ key: 'tearsheet.dev/e2e', operator: 'Exists' }],
      terminationGracePeriodSeconds: 6,
    });
    const set = await e2e.requestSet('Node');
    await eventually(async () => {
      const pods = await e2e.installation.list<{ spec: { nodeName?: string } }>(
        'pods',
        'app.kubernetes.io/component=capture',
      );
      expect(pods.map(({ spec }) => spec.nodeName)).toEqual([node]);
    });
    await setReady(node, 'Unknown');
    const lost = await e2e.expectReason(set, 'NodeLost');
    // Kubernetes would do so after 30 s.
    await e2e.installation.kubectl(['delete', 'pods', '-l', selectorOf(lost), '--wait=false']);
    keepConsole('nodes', `$ kubectl get nodes\n${await kubectl(['get', 'nodes'])}`);
    // The next captures may go to any node; the one that hangs is left behind.
    await e2e.changeProfile({});
    await e2e.expectReason(set, 'Completed');
    await e2e.expectApproved(set);
  });
});
