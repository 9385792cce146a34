/** A cluster of one machine: resources and Jobs in memory, captures as child processes. After a restart it is empty. */
import { randomUUID } from 'node:crypto';
import type { ScreenshotJob, ScreenshotJobSpec, ScreenshotJobStatus } from '../../contract/screenshotJob.ts';
import type { Log } from '../../lib/log.ts';
import {
  type CaptureJob,
  type CaptureJobSpec,
  type ClusterPort,
  ConflictError,
  type RecordedEvent,
  type StrayJob,
} from '../port.ts';
import { LocalJob } from './localJob.ts';
import { type Pod, startPod } from './localPod.ts';
import { LocalResources } from './localResources.ts';

export interface LocalClusterOptions {
  /** Program and arguments of a capture. */
  readonly captureCommand: readonly string[];
  /** Captures that run at the same time, of all Jobs together. */
  readonly maxPods: number;
  readonly log: Log;
  /** The captures' environment, but for what the Job adds. */
  readonly env: Readonly<Record<string, string>>;
  /** Between asking a capture to end and killing it. */
  readonly graceMs?: number;
  /** Before an index that failed is started again; doubles with each failure. */
  readonly backoffMs?: number;
}

export interface LocalCluster extends ClusterPort {
  /** The latest events of a resource, oldest first. */
  events(name: string): readonly RecordedEvent[];
  /** As an operator would, by setting spec.cancel. */
  cancelByHand(name: string): void;
  /** As an operator would: without our mark. */
  deleteByHand(name: string): void;
}

export function createLocalCluster(options: LocalClusterOptions): LocalCluster {
  return new OneMachine(options);
}

class OneMachine implements LocalCluster {
  readonly #options: LocalClusterOptions;
  readonly #resources = new LocalResources();
  readonly #jobs = new Map<string, LocalJob>();
  readonly #watchers = new Set<(name: string) => void>();
  readonly #running = new Map<Pod, Promise<void>>();
  #wake: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: LocalClusterOptions) {
    this.#options = options;
  }

  async createScreenshotJob(name: string, spec: ScreenshotJobSpec): Promise<'created' | 'exists'> {
    if (this.#resources.get(name) !== undefined) return 'exists';
    this.#resources.add(name, spec);
    this.#changed(name);
    return 'created';
  }

  async getScreenshotJob(name: string): Promise<ScreenshotJob | undefined> {
    return this.#resources.get(name);
  }

  async listScreenshotJobs(): Promise<ScreenshotJob[]> {
    return this.#resources.all();
  }

  async updateStatus(seen: ScreenshotJob, status: ScreenshotJobStatus): Promise<void> {
    // A status is no change that anybody has to react to.
    this.#resources.change(seen, { status });
  }

  async deleteScreenshotJob(seen: ScreenshotJob): Promise<void> {
    const resource = this.#resources.current(seen);
    if (resource === undefined || resource.deleting) return;
    this.#resources.change(resource, { deleting: true, removedByUs: true });
    this.#changed(seen.name);
  }

  cancelByHand(name: string): void {
    const resource = this.#resources.get(name);
    if (resource === undefined || resource.spec.cancel === true) return;
    const { generation, spec } = resource;
    this.#resources.change(resource, { generation: generation + 1, spec: { ...spec, cancel: true } });
    this.#changed(name);
  }

  deleteByHand(name: string): void {
    const resource = this.#resources.get(name);
    if (resource === undefined || resource.deleting) return;
    this.#resources.change(resource, { deleting: true });
    this.#changed(name);
  }

  async releaseScreenshotJob(seen: ScreenshotJob): Promise<void> {
    // What holds it is taken off; it goes if it was deleted, and takes with it what it owns.
    if (this.#resources.current(seen)?.deleting !== true) return;
    const owned = [...this.#jobs.values()].filter(({ spec }) => spec.owner.uid === seen.uid);
    for (const { spec, uid } of owned) await this.deleteJob({ name: spec.name, uid });
    this.#resources.remove(seen);
    this.#changed(seen.name);
  }

  /** Nobody but the controller changes what is in its memory. */
  async labelScreenshotJob(): Promise<void> {}

  async listStrays(): Promise<{ resources: ScreenshotJob[]; jobs: StrayJob[] }> {
    return { resources: [], jobs: [] };
  }

  async createJob(spec: CaptureJobSpec): Promise<'created' | 'exists'> {
    const known = this.#jobs.get(spec.name);
    if (known !== undefined) {
      const isOurs = !known.deleting && known.spec.owner.uid === spec.owner.uid;
      if (!isOurs) throw new ConflictError(`${spec.name} is another's.`);
      return 'exists';
    }
    this.#jobs.set(spec.name, new LocalJob(spec, this.#options.backoffMs ?? 500));
    this.#schedule();
    return 'created';
  }

  async getJob(name: string): Promise<CaptureJob | undefined> {
    return this.#jobs.get(name)?.view();
  }

  async listJobs(): Promise<CaptureJob[]> {
    return [...this.#jobs.values()].map((job) => job.view());
  }

  async deleteJob(
    { name, uid }: Pick<CaptureJob, 'name' | 'uid'>,
    { waits = false }: { readonly waits?: boolean } = {},
  ): Promise<void> {
    const job = this.#jobs.get(name);
    if (job?.uid !== uid) return;
    job.deleting = true;
    if (!waits) this.#jobs.delete(name);
    void this.#end(job.pods).then(() => {
      if (this.#jobs.get(name) === job) this.#jobs.delete(name);
      this.#changed(job.spec.owner.name);
      this.#schedule();
    });
  }

  async recordEvent(about: ScreenshotJob, event: RecordedEvent): Promise<void> {
    this.#resources.tell(about, event);
  }

  watch(changed: (name: string) => void): { close(): Promise<void> } {
    this.#watchers.add(changed);
    const close = async () => {
      this.#watchers.delete(changed);
    };
    return { close };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#wake);
    await this.#end([...this.#running.keys()]);
  }

  events(name: string): readonly RecordedEvent[] {
    return this.#resources.events(name);
  }

  #changed(name: string): void {
    for (const watcher of [...this.#watchers]) watcher(name);
  }

  /** Starts what may be started; called whenever that may have changed. */
  #schedule(): void {
    clearTimeout(this.#wake);
    let soonest = Number.POSITIVE_INFINITY;
    // In turns, so that no Job waits for another's last index.
    for (let progress = true; progress && this.#hasRoom(); ) {
      progress = false;
      for (const job of this.#jobs.values()) {
        const next = this.#hasRoom() ? job.next() : undefined;
        if (next === undefined) continue;
        if ('inMs' in next) {
          soonest = Math.min(soonest, next.inMs);
          continue;
        }
        this.#start(job, next.index);
        this.#changed(job.spec.owner.name);
        progress = true;
      }
    }
    if (Number.isFinite(soonest) && !this.#closed) this.#wake = setTimeout(() => this.#schedule(), soonest + 1);
  }

  #hasRoom(): boolean {
    return !this.#closed && this.#running.size < this.#options.maxPods;
  }

  #start(job: LocalJob, index: number): void {
    const { captureCommand, env, log, graceMs = 5_000 } = this.#options;
    const { jobId, owner, environment, podDeadlineSeconds } = job.spec;
    const podUid = randomUUID();
    const own = { TEARSHEET_JOB: jobId, TEARSHEET_POD: podUid, JOB_COMPLETION_INDEX: String(index) };
    const pod = startPod({
      command: captureCommand,
      env: { ...env, ...environment, ...own },
      deadlineMs: podDeadlineSeconds * 1000,
      graceMs,
      log,
      fields: { job_id: jobId, resource: owner.name, index, pod: podUid },
    });
    job.started(index, pod);
    const over = pod.ended.then((end) => {
      this.#running.delete(pod);
      job.ended(index, end);
      if (end.code !== 0) log.warn({ job_id: jobId, index, ...end }, 'a capture did not end well');
      this.#changed(owner.name);
      this.#schedule();
    });
    this.#running.set(pod, over);
  }

  async #end(pods: readonly Pod[]): Promise<void> {
    for (const pod of pods) pod.terminate();
    await Promise.all(pods.flatMap((pod) => this.#running.get(pod) ?? []));
  }
}
