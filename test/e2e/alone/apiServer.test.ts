import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { kill, skipsElsewhere, up } from '../support/ownCluster.ts';
import { useTrial } from '../support/trial.ts';

interface Pod {
  readonly status: { readonly podIP: string };
}

/** What its own metrics say: nobody else can be asked. */
async function leads({ status }: Pod): Promise<boolean> {
  const response = await fetch(`http://${status.podIP}:9090/metrics`, { signal: AbortSignal.timeout(5_000) });
  return /^tearsheet_leader(?:\{.*\})? 1$/m.test(await response.text());
}

/** Of a controller that ended, and begins anew, nothing is heard for a moment. */
const mayLead = (pod: Pod) => leads(pod).catch(() => false);

describe.skipIf(skipsElsewhere('An outage of the API server'))('an outage of the API server of Kubernetes', () => {
  const trial = useTrial('outage', { controller: { replicas: 2 } });

  it('that ends the term of the leader costs a running set nothing, nor one that is asked for meanwhile', async () => {
    const running = await trial.held('running');
    const controllers = await trial.installation.list<Pod>('pods', 'app.kubernetes.io/component=controller');
    const leaders = async (look: typeof leads) => (await Promise.all(controllers.map(look))).filter(Boolean).length;
    expect(await leaders(leads)).toBe(1);

    trial.afterwards(up);
    await kill('kube-apiserver');
    trial.world.gates.open('running');
    const asked = await trial.ask('Meanwhile');
    await eventually(async () => expect(await leaders(mayLead)).toBe(0), 60_000);
    await up();
    await trial.approved(running);
    await trial.approved(asked);
    await trial.named(running, 'Completed', 60_000);
  });
});
