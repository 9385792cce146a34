/** A cluster on one machine: ScreenshotJobs and Jobs in memory, captures as child processes. It is empty after a restart. */
import { randomUUID } from 'node:crypto';
import type { ScreenshotJob, ScreenshotJobSpec, ScreenshotJobStatus } from '../../contract/screenshotJob.ts';
import type { Log } from '../../lib/log.ts';
import {
  type CaptureJob,
  type CaptureJobSpec,
  type ClusterPort,
  ConflictError,
  type DeleteJobOptions,
  type UnlabeledObjects,
} from '../port.ts';
import { LocalJob, LocalResources } from './localJob.ts';
import { type Pod, startPod } from './localPod.ts';

export interface LocalClusterOptions {
  /** The capture program and its arguments. */
  readonly captureCommand: readonly string[];
  /** Captures of all Jobs that may run at the same time. */
  readonly maxPods: number;
  readonly log: Log;
  /** The environment of each capture. The Job adds its own variables. */
  readonly env: Readonly<Record<string, string>>;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** The pause before the first retry of an index. It doubles with each failure. */
  readonly backoffMs?: number;
}

export class LocalCluster implements ClusterPort {
  readonly #options: LocalClusterOptions;
  protected readonly resources = new LocalResources();
  readonly #jobs = new Map<string, LocalJob>();
  readonly #watchers = new Set<(name: string) => void>();
  readonly #running = new Map<Pod, Promise<void>>();
  #wake: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: LocalClusterOptions) {
    this.#options = options;
  }

  async createScreenshotJob(name: string, spec: ScreenshotJobSpec): Promise<'created' | 'exists'> {
    if (this.resources.get(name) !== undefined) return 'exists';
    this.resources.add(name, spec);
    this.changed(name);
    return 'created';
  }

  async getScreenshotJob(name: string): Promise<ScreenshotJob | undefined> {
    return this.resources.get(name);
  }

  async listScreenshotJobs(): Promise<ScreenshotJob[]> {
    return this.resources.all();
  }

  async updateStatus(seen: ScreenshotJob, status: ScreenshotJobStatus): Promise<void> {
    // Only the controller writes a status, so no watcher is notified.
    this.resources.change(seen, { status });
  }

  async deleteScreenshotJob(seen: ScreenshotJob): Promise<void> {
    const resource = this.resources.current(seen);
    if (resource === undefined || resource.deleting) return;
    if (!resource.held) return this.remove(resource);
    this.resources.change(resource, { deleting: true, removedByUs: true });
    this.changed(seen.name);
  }

  async releaseScreenshotJob(seen: ScreenshotJob): Promise<void> {
    const resource = this.resources.current(seen);
    if (resource?.deleting === true) return this.remove(resource);
    if (resource !== undefined) this.resources.change(resource, { held: false });
  }

  /** Without our finalizer a deleted ScreenshotJob is removed together with its Jobs. */
  protected async remove(resource: ScreenshotJob): Promise<void> {
    const owned = [...this.#jobs.values()].filter(({ spec }) => spec.owner.uid === resource.uid);
    for (const { spec, uid } of owned) await this.deleteJob({ name: spec.name, uid });
    this.resources.remove(resource);
    this.changed(resource.name);
  }

  /** Only the controller changes these objects, so no label can be lost. */
  async labelScreenshotJob(): Promise<void> {}

  async listUnlabeled(): Promise<UnlabeledObjects> {
    return { resources: [], jobs: [] };
  }

  async createJob(spec: CaptureJobSpec): Promise<'created' | 'exists'> {
    const known = this.#jobs.get(spec.name);
    if (known !== undefined) {
      const isOurs = !known.deleting && known.spec.owner.uid === spec.owner.uid;
      if (!isOurs)
        throw new ConflictError(`The Job ${spec.name} is being deleted or belongs to another ScreenshotJob.`);
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

  async resizeJob({ name, uid }: Pick<CaptureJob, 'name' | 'uid'>, parallelism: number): Promise<void> {
    const job = this.#jobs.get(name);
    if (job?.uid !== uid) return;
    job.parallelism = parallelism;
    this.#schedule();
  }

  async deleteJob(
    { name, uid }: Pick<CaptureJob, 'name' | 'uid'>,
    { waitForPods = false }: DeleteJobOptions = {},
  ): Promise<void> {
    const job = this.#jobs.get(name);
    if (job?.uid !== uid) return;
    job.deleting = true;
    if (!waitForPods) this.#jobs.delete(name);
    void this.#end(job.pods).then(() => {
      if (this.#jobs.get(name) === job) this.#jobs.delete(name);
      this.changed(job.spec.owner.name);
      this.#schedule();
    });
  }

  /** Events are not listed here. */
  async recordEvent(): Promise<void> {}

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

  protected changed(name: string): void {
    for (const watcher of [...this.#watchers]) watcher(name);
  }

  /** Starts all captures that may start. Called after each change that may allow another capture. */
  #schedule(): void {
    clearTimeout(this.#wake);
    let soonest = Number.POSITIVE_INFINITY;
    for (let started = true; started && this.#hasFreePod(); ) {
      started = false;
      for (const job of this.#fewestCapturesFirst()) {
        const next = job.next();
        if (next === undefined) continue;
        if ('inMs' in next) {
          soonest = Math.min(soonest, next.inMs);
          continue;
        }
        this.#start(job, next.index);
        this.changed(job.spec.owner.name);
        started = true;
        break;
      }
    }
    if (Number.isFinite(soonest) && !this.#closed) this.#wake = setTimeout(() => this.#schedule(), soonest + 1);
  }

  /**
   * The order in which Jobs get a free capture. A large set always has another index to start, so its organization and
   * its Job must come after those that run less.
   */
  #fewestCapturesFirst(): LocalJob[] {
    const active = new Map<string, number>();
    for (const { spec, active: own } of this.#jobs.values())
      active.set(spec.organization, (active.get(spec.organization) ?? 0) + own);
    const ofOrganization = ({ spec }: LocalJob) => active.get(spec.organization) ?? 0;
    return [...this.#jobs.values()].sort((a, b) => ofOrganization(a) - ofOrganization(b) || a.active - b.active);
  }

  #hasFreePod(): boolean {
    return !this.#closed && this.#running.size < this.#options.maxPods;
  }

  #start(job: LocalJob, index: number): void {
    const { captureCommand, env, log, graceMs = 5_000 } = this.#options;
    const { jobId, owner, environment, podDeadlineSeconds } = job.spec;
    const podUid = randomUUID();
    const podEnv = { TEARSHEET_JOB: jobId, TEARSHEET_POD: podUid, JOB_COMPLETION_INDEX: String(index) };
    const pod = startPod({
      command: captureCommand,
      env: { ...env, ...environment, ...podEnv },
      deadlineMs: podDeadlineSeconds * 1000,
      graceMs,
      log,
      fields: { job_id: jobId, resource: owner.name, index, pod: podUid },
    });
    job.started(index, pod);
    const ended = pod.ended.then((end) => {
      this.#running.delete(pod);
      job.ended(index, end);
      if (end.code !== 0) log.warn({ job_id: jobId, index, ...end }, 'a capture failed');
      this.changed(owner.name);
      this.#schedule();
    });
    this.#running.set(pod, ended);
  }

  async #end(pods: readonly Pod[]): Promise<void> {
    for (const pod of pods) pod.terminate();
    await Promise.all(pods.flatMap((pod) => this.#running.get(pod) ?? []));
  }
}
