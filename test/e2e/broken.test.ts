import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { useE2eContext } from './support/e2eContext.ts';
import { selectorOf } from './support/helmInstallation.ts';

/** Without retries: what is nobody's fault costs none. */
const e2e = useE2eContext('broken', { capture: { retries: 0, tmpSize: '256Mi' } });
/** Writes more than a capture's disk may hold. */
const FILL_DISK = "fs.writeFileSync('/tmp/full', Buffer.alloc(320 * 2 ** 20))";

describe('captures that end early, on a real cluster', () => {
  it('a deleted pod is replaced and does not count as a failed attempt', async () => {
    const set = await e2e.requestHeldSet('deleted');
    const ofSet = selectorOf(await e2e.expectReason(set, 'Running'));
    await e2e.installation.kubectl(['delete', 'pods', '-l', ofSet, '--wait=false']);
    const ignored = 'batch.kubernetes.io/job-index-ignored-failure-count';
    await eventually(async () => {
      const pods = await e2e.installation.list<{ metadata: { annotations: Record<string, string> } }>('pods', ofSet);
      expect(pods.map(({ metadata: { annotations } }) => annotations[ignored])).toEqual(['1']);
    });
    e2e.servers.requestGate.release('deleted');
    await e2e.expectReason(set, 'Completed');
    await e2e.expectApproved(set);
  });

  it('a capture that fills its disk has the reason Evicted and is replaced', async () => {
    const set = await e2e.requestHeldSet('evicted');
    const ofSet = selectorOf(await e2e.expectReason(set, 'Running'));
    // Only this pod: its replacement must find room again, however slow it is.
    const [pod] = await e2e.installation.list<{ metadata: { name: string } }>('pods', ofSet);
    await e2e.installation.kubectl(['exec', pod?.metadata.name ?? '', '--', 'node', '-e', FILL_DISK]);
    await e2e.expectReason(set, 'Evicted');
    e2e.servers.requestGate.release('evicted');
    await e2e.expectReason(set, 'Completed');
    await e2e.expectApproved(set);
  });

  it('the deadline of a set fails the screenshots that are missing', async () => {
    const { installation } = e2e;
    await installation.upgrade({ capture: { setDeadlineSeconds: 15, schedulingDeadlineSeconds: 15 } });
    const set = await e2e.requestSet('Deadline', 'deadline');
    await e2e.expectReason(set, 'DeadlineExceeded');
    await e2e.waitForSetStatus(set, 'failed');
  });
});
