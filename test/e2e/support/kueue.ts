/**
 * Plays Kueue, of which no image is at hand: these are the writes that its job controller makes to a Job of a queue (kubernetes-sigs/kueue,
 * pkg/controller/jobs/job and pkg/podset). One lets the Job go with what was assigned to it; three take that back.
 */
import type { V1Job, V1Toleration } from '@kubernetes/client-node';
import type { Installation } from './installation.ts';

const STOPPING = 'kueue.x-k8s.io/stopping';
const PODSET = 'kueue.x-k8s.io/podset';
const WORKLOAD = 'kueue.x-k8s.io/workload';

/** Of a ResourceFlavor. */
export interface Flavor {
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly tolerations: readonly V1Toleration[];
}

export class Kueue {
  readonly #installation: Installation;
  /** By the name of a Job: the tolerations that it was made with. */
  readonly #made = new Map<string, readonly V1Toleration[]>();

  constructor(installation: Installation) {
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

  /** For the sake of another workload. */
  async preempt(name: string, { nodeLabels }: Flavor): Promise<void> {
    await this.#patch(name, { metadata: { annotations: { [STOPPING]: 'true' } }, spec: { suspend: true } });
    // Otherwise what it asks of nodes could not be changed again.
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
