/**
 * Acts as Kueue, because the test cluster has no image of it. It makes the same writes to a queued Job as Kueue's job controller
 * (kubernetes-sigs/kueue, pkg/controller/jobs/job and pkg/podset): one write admits the Job, three writes preempt it.
 */
import type { V1Job, V1Toleration } from '@kubernetes/client-node';
import type { HelmInstallation } from './helmInstallation.ts';

const STOPPING = 'kueue.x-k8s.io/stopping';
const PODSET = 'kueue.x-k8s.io/podset';
const WORKLOAD = 'kueue.x-k8s.io/workload';

/** The node labels and tolerations of a ResourceFlavor. */
export interface Flavor {
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly tolerations: readonly V1Toleration[];
}

export class Kueue {
  readonly #installation: HelmInstallation;
  /** The tolerations that each Job was created with, by its name. */
  readonly #made = new Map<string, readonly V1Toleration[]>();

  constructor(installation: HelmInstallation) {
    this.#installation = installation;
  }

  async admit(name: string, { nodeLabels, tolerations }: Flavor): Promise<void> {
    const { spec } = JSON.parse(await this.#installation.kubectl(['get', 'job', name, '-o', 'json'])) as V1Job;
    const made = spec?.template.spec?.tolerations ?? [];
    this.#made.set(name, made);
    const metadata = { labels: { [PODSET]: 'main' }, annotations: { [WORKLOAD]: `job-${name}` } };
    const pod = { nodeSelector: nodeLabels, tolerations: [...made, ...tolerations] };
    await this.#patch(name, { spec: { suspend: false, template: { metadata, spec: pod } } });
  }

  /** Suspends the Job in favor of another workload. */
  async preempt(name: string, { nodeLabels }: Flavor): Promise<void> {
    await this.#patch(name, { metadata: { annotations: { [STOPPING]: 'true' } }, spec: { suspend: true } });
    // Kubernetes lets the node selector change only while startTime is empty.
    await this.#patch(name, { status: { startTime: null } }, '--subresource=status');
    const metadata = { labels: { [PODSET]: null }, annotations: { [WORKLOAD]: null } };
    const nodeSelector = Object.fromEntries(Object.keys(nodeLabels).map((key) => [key, null]));
    const pod = { nodeSelector, tolerations: this.#made.get(name) };
    await this.#patch(name, {
      metadata: { annotations: { [STOPPING]: null } },
      spec: { template: { metadata, spec: pod } },
    });
  }

  async #patch(name: string, change: object, ...options: string[]): Promise<void> {
    await this.#installation.kubectl(['patch', 'job', name, '--type=merge', '-p', JSON.stringify(change), ...options]);
  }
}
