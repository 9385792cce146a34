import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { keepConsole, kubectl } from '../support/commands.ts';
import { E2eContext } from '../support/e2eContext.ts';
import { addFakeNode, kill, skipUnlessOwnCluster, up } from '../support/ownCluster.ts';
import { type SharedPostgres, sharedPostgres } from '../support/sharedPostgres.ts';

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly deletionTimestamp?: string;
    readonly annotations: Record<string, string>;
  };
  readonly status: { readonly phase: string };
}

const CAPTURE = 'app.kubernetes.io/component=capture';

describe.skipIf(skipUnlessOwnCluster('A kubelet that is killed'))(
  'a kubelet that is killed under a running capture',
  () => {
    const e2e = new E2eContext();
    let postgres: SharedPostgres;

    // Services lead to no pod of a lost node, and there is but one real one: what the release needs is elsewhere.
    beforeAll(async () => {
      postgres = await sharedPostgres();
      await e2e.start('kubelet', { ...postgres.values, capture: { terminationGracePeriodSeconds: 6 } });
    });
    afterEach(() => e2e.cleanUp());
    afterAll(async () => {
      await e2e.close();
      await postgres?.close();
    });

    const captures = () => e2e.installation.list<Pod>('pods', CAPTURE);
    const looked = (...looks: string[][]) =>
      e2e.kubectlOutput(
        ['get', 'nodes'],
        ['get', 'screenshotjobs', '-o', 'wide'],
        ['get', 'pods', '-l', CAPTURE],
        ...looks,
      );

    it('a ScreenshotJob has the reason NodeLost while the kubelet is dead, and its set succeeds once the node is back', async () => {
      const set = await e2e.requestHeldSet('node');
      await e2e.installation.waitForReason(set, 'Running');
      const [before] = await captures();
      const pod = before?.metadata.name ?? '';
      // The programs of a lost node do nothing any more. Here the capture would continue under containerd.
      await e2e.installation.kubectl(['exec', pod, '--', 'sh', '-c', 'kill -STOP -1']);
      // A cluster evicts nothing where no node at all answers.
      e2e.addCleanup(() => kubectl(['delete', 'node', 'fake-1', '--ignore-not-found']));
      await addFakeNode();
      e2e.addCleanup(up);
      await kill('kubelet');

      const { status } = await e2e.expectReason(set, 'NodeLost');
      expect(status?.message).toContain(pod);
      const lost = await looked();
      // The pod tolerates this for 30 s. Then it needs a replacement, but no kubelet ends it.
      await eventually(async () => {
        const [seen] = await captures();
        expect(seen?.metadata.deletionTimestamp).toBeDefined();
      });
      const evicted = await looked();

      await up();
      const after = await eventually(async () => {
        const pods = await captures();
        expect(pods.map(({ status: { phase }, metadata: { name } }) => [phase, name === pod])).toEqual([
          ['Running', false],
        ]);
        return pods[0];
      });
      expect(after?.metadata.annotations['batch.kubernetes.io/job-index-failure-count']).toBe('0');
      e2e.servers.requestGate.release('node');
      const { metadata } = await e2e.expectReason(set, 'Completed');
      await e2e.expectApproved(set);
      const back = await looked(['describe', 'screenshotjob', metadata.name]);
      keepConsole(
        'kubelet-killed',
        `(the kubelet is killed)\n${lost}\n(30 s later)\n${evicted}\n(the kubelet is back)\n${back}`,
      );
    });
  },
);
