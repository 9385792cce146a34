import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type OutsidePostgres, outsidePostgres } from '../support/outsidePostgres.ts';
import { addFakeNode, kill, skipsElsewhere, up } from '../support/ownCluster.ts';
import { keepConsole, kubectl } from '../support/programs.ts';
import { Trial } from '../support/trial.ts';

interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly deletionTimestamp?: string;
    readonly annotations: Record<string, string>;
  };
  readonly status: { readonly phase: string };
}

const CAPTURE = 'app.kubernetes.io/component=capture';
/** Until the cluster gives the node up: 30 s, and what comes between its looks. */
const GIVEN_UP_MS = 60_000;

describe.skipIf(skipsElsewhere('A kubelet that is killed'))('a kubelet that is killed under a running capture', () => {
  const trial = new Trial();
  let postgres: OutsidePostgres;

  // Services lead to no pod of a lost node, and there is but one real one: what the release needs is elsewhere.
  beforeAll(async () => {
    postgres = await outsidePostgres();
    await trial.begin('kubelet', { ...postgres.values, capture: { terminationGracePeriodSeconds: 6 } });
  });
  afterEach(() => trial.mend());
  afterAll(async () => {
    await trial.end();
    await postgres?.close();
  });

  const captures = () => trial.installation.list<Pod>('pods', CAPTURE);
  const looked = (...looks: string[][]) =>
    trial.seen(['get', 'nodes'], ['get', 'screenshotjobs', '-o', 'wide'], ['get', 'pods', '-l', CAPTURE], ...looks);

  it('is named NodeLost, and costs the set nothing but time once the node is back', async () => {
    const set = await trial.held('node');
    await trial.installation.status(set, 'Running');
    const [before] = await captures();
    const pod = before?.metadata.name ?? '';
    // What runs on a node that is lost is not heard of any more; here it would go on, under containerd.
    await trial.installation.kubectl(['exec', pod, '--', 'sh', '-c', 'kill -STOP -1']);
    // A cluster evicts nothing where no node at all answers.
    trial.afterwards(() => kubectl(['delete', 'node', 'fake-1', '--ignore-not-found']));
    await addFakeNode();
    trial.afterwards(up);
    await kill('kubelet');

    const { status } = await trial.named(set, 'NodeLost', GIVEN_UP_MS);
    expect(status?.message).toContain(pod);
    const lost = await looked();
    // Tolerated for 30 s; then it is to be made again, but nobody ends it.
    await eventually(async () => {
      const [seen] = await captures();
      expect(seen?.metadata.deletionTimestamp).toBeDefined();
    }, GIVEN_UP_MS);
    const evicted = await looked();

    await up();
    const after = await eventually(async () => {
      const pods = await captures();
      expect(pods.map(({ status: { phase }, metadata: { name } }) => [phase, name === pod])).toEqual([
        ['Running', false],
      ]);
      return pods[0];
    }, 60_000);
    expect(after?.metadata.annotations['batch.kubernetes.io/job-index-failure-count']).toBe('0');
    trial.world.gates.open('node');
    const { metadata } = await trial.named(set, 'Completed', 60_000);
    await trial.approved(set);
    const back = await looked(['describe', 'screenshotjob', metadata.name]);
    keepConsole(
      'kubelet-killed',
      `(the kubelet is killed)\n${lost}\n(30 s later)\n${evicted}\n(the kubelet is back)\n${back}`,
    );
  });
});
