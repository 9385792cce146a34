import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, it } from 'vitest';
import { isOwnCluster } from '../support/environment.ts';
import { useTrial } from '../support/trial.ts';

const run = promisify(execFile);
const CLUSTER = path.join(import.meta.dirname, '../../cluster/cluster');

describe.skipIf(!isOwnCluster())('an outage of the API server of Kubernetes', () => {
  const trial = useTrial('outage', { controller: { replicas: 2 } });

  it('costs a running set nothing, nor one that is asked for meanwhile', async () => {
    const running = await trial.held('running');
    await run(CLUSTER, ['kill', 'kube-apiserver'], { timeout: 20_000 });
    trial.afterwards(() => run(CLUSTER, ['up'], { timeout: 200_000 }));
    trial.world.gates.open('running');
    const asked = await trial.ask('Meanwhile');
    await new Promise((resolve) => setTimeout(resolve, 20_000));
    await run(CLUSTER, ['up'], { timeout: 200_000 });
    await trial.approved(running);
    await trial.approved(asked);
    await trial.named(running, 'Completed', 60_000);
  });
});
