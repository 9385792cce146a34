/** Times at which pods were created and started, from a watch. Polling would slow down the pods that are measured. */
import { type KubeConfig, Watch } from '@kubernetes/client-node';
import { withDeadline } from '../../../src/lib/deadline.ts';

interface Pod {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly status: { readonly phase: string };
}

interface Moment {
  readonly pod: Pod;
  /** As performance.now(). */
  readonly at: number;
}

export type PodState = 'created' | 'running';

const PHASES: Readonly<Record<PodState, readonly string[]>> = {
  created: ['Pending', 'Running', 'Succeeded'],
  running: ['Running', 'Succeeded'],
};
const DEADLINE_MS = 60_000;

export class PodMoments {
  readonly #moments: Moment[] = [];
  readonly #heard = new Set<() => void>();
  #failure: Error | undefined;
  #stop: (() => void) | undefined;

  static async of(config: KubeConfig, namespace: string): Promise<PodMoments> {
    const moments = new PodMoments();
    const stop = await new Watch(config).watch(
      `/api/v1/namespaces/${namespace}/pods`,
      {},
      (_type, pod: Pod) => moments.#note(pod),
      (error: unknown) => moments.#end(error),
    );
    moments.#stop = () => stop.abort();
    return moments;
  }

  /** @returns performance.now() when the first pod with this label was in that state. @throws Error if there is none within a minute. */
  async when(state: PodState, [label, value]: readonly [string, string]): Promise<number> {
    const found = () =>
      this.#moments.find(({ pod: { metadata, status } }) => {
        return metadata.labels?.[label] === value && PHASES[state].includes(status.phase);
      });
    return withDeadline(DEADLINE_MS, this.#until(found));
  }

  close(): void {
    this.#stop?.();
  }

  async #until(found: () => Moment | undefined): Promise<number> {
    for (let moment = found(); ; moment = found()) {
      if (moment !== undefined) return moment.at;
      if (this.#failure !== undefined) throw this.#failure;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#heard.add(resolve);
      await promise;
      this.#heard.delete(resolve);
    }
  }

  #note(pod: Pod): void {
    this.#moments.push({ pod, at: performance.now() });
    this.#wake();
  }

  #end(error: unknown): void {
    this.#failure = new Error('The watch of the pods has ended.', { cause: error });
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#heard) wake();
  }
}
