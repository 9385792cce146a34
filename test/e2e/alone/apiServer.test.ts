import { describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { useE2eContext } from '../support/e2eContext.ts';
import { kill, skipUnlessOwnCluster, up } from '../support/ownCluster.ts';

interface Pod {
  readonly status: { readonly podIP: string };
}

/** Reads the pod's own metrics, because the API server does not answer. */
async function leads({ status }: Pod): Promise<boolean> {
  const response = await fetch(`http://${status.podIP}:9090/metrics`, { signal: AbortSignal.timeout(5_000) });
  return /^tearsheet_leader(?:\{.*\})? 1$/m.test(await response.text());
}

/** A controller that is starting again does not answer for a moment. */
const mayLead = (pod: Pod) => leads(pod).catch(() => false);

describe.skipIf(skipUnlessOwnCluster('An outage of the API server'))('an outage of the Kubernetes API server', () => {
  const e2e = useE2eContext('outage', { controller: { replicas: 2 } });

  it('an outage that ends the leadership harms neither a running set nor a set that is requested meanwhile', async () => {
    const running = await e2e.requestHeldSet('running');
    const controllers = await e2e.installation.list<Pod>('pods', 'app.kubernetes.io/component=controller');
    const leaders = async (look: typeof leads) => (await Promise.all(controllers.map(look))).filter(Boolean).length;
    expect(await leaders(leads)).toBe(1);

    e2e.addCleanup(up);
    await kill('kube-apiserver');
    e2e.servers.requestGate.release('running');
    const asked = await e2e.requestSet('Meanwhile');
    await eventually(async () => expect(await leaders(mayLead)).toBe(0));
    await up();
    await e2e.expectApproved(running);
    await e2e.expectApproved(asked);
    await e2e.expectReason(running, 'Completed');
  });
});
