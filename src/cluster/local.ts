/** A cluster of one machine: resources and Jobs in memory, captures as child processes. After a restart it is empty. */
import { randomUUID } from 'node:crypto';
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import { LocalJob } from './localJob.ts';
import { type ClusterLog, type Pod, startPod } from './localPod.ts';
import { type CaptureJobSpec, type ClusterPort, ConflictError, type RecordedEvent } from './port.ts';

export interface LocalClusterOptions {
  /** Program and arguments of a capture. */
  readonly captureCommand: readonly string[];
  /** Captures that run at the same time, of all Jobs together. */
  readonly maxPods: number;
  readonly log: ClusterLog;
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
}

const MOST_EVENTS = 50;

export function createLocalCluster(options: LocalClusterOptions): LocalCluster {
  const { maxPods, log, graceMs = 5_000, backoffMs = 500 } = options;
  const resources = new Map<string, ScreenshotJob>();
  const events = new Map<string, RecordedEvent[]>();
  const jobs = new Map<string, LocalJob>();
  const watchers = new Set<(name: string) => void>();
  const running = new Map<Pod, Promise<void>>();
  let wake: NodeJS.Timeout | undefined;
  let closed = false;

  const changed = (name: string) => {
    for (const watcher of [...watchers]) watcher(name);
  };

  /** The object as it stands, if it is the one that was seen. */
  const current = ({ name, uid }: Pick<ScreenshotJob, 'name' | 'uid'>) => {
    const resource = resources.get(name);
    return resource?.uid === uid ? resource : undefined;
  };

  const put = (resource: ScreenshotJob, edit: Partial<ScreenshotJob>) =>
    resources.set(resource.name, { ...resource, ...edit, version: String(Number(resource.version) + 1) });

  const start = (job: LocalJob, index: number) => {
    const { spec } = job;
    const podUid = randomUUID();
    const pod = startPod({
      command: options.captureCommand,
      env: {
        ...options.env,
        ...spec.environment,
        TEARSHEET_JOB: spec.jobId,
        TEARSHEET_POD: podUid,
        JOB_COMPLETION_INDEX: String(index),
      },
      deadlineMs: spec.podDeadlineSeconds * 1000,
      graceMs,
      log,
      fields: { job_id: spec.jobId, resource: spec.owner.name, index, pod: podUid },
    });
    job.started(index, pod);
    const over = pod.ended.then((end) => {
      running.delete(pod);
      job.ended(index, end);
      if (end.code !== 0) log.warn({ job_id: spec.jobId, index, ...end }, 'a capture did not end well');
      changed(spec.owner.name);
      schedule();
    });
    running.set(pod, over);
  };

  /** Starts what may be started; called whenever that may have changed. */
  const schedule = () => {
    clearTimeout(wake);
    let soonest = Number.POSITIVE_INFINITY;
    // In turns, so that no Job waits for another's last index.
    for (let progress = true; progress && !closed && running.size < maxPods; ) {
      progress = false;
      for (const job of jobs.values()) {
        const next = running.size < maxPods ? job.next() : undefined;
        if (next === undefined) continue;
        if ('inMs' in next) {
          soonest = Math.min(soonest, next.inMs);
          continue;
        }
        start(job, next.index);
        changed(job.spec.owner.name);
        progress = true;
      }
    }
    if (Number.isFinite(soonest) && !closed) wake = setTimeout(schedule, soonest + 1);
  };

  const end = async (pods: readonly Pod[]) => {
    for (const pod of pods) pod.terminate();
    await Promise.all(pods.flatMap((pod) => running.get(pod) ?? []));
  };

  return {
    async createScreenshotJob(name, spec) {
      if (resources.has(name)) return 'exists';
      resources.set(name, {
        name,
        uid: randomUUID(),
        version: '1',
        generation: 1,
        deleting: false,
        removedByUs: false,
        createdAt: new Date(),
        spec,
        status: undefined,
      });
      changed(name);
      return 'created';
    },
    async getScreenshotJob(name) {
      return resources.get(name);
    },
    async listScreenshotJobs() {
      return [...resources.values()];
    },
    async updateStatus(seen, status) {
      // A status is no change that anybody has to react to.
      const resource = current(seen);
      if (resource?.version !== seen.version) throw new ConflictError(`${seen.name} has changed meanwhile.`);
      put(resource, { status });
    },
    async cancelScreenshotJob(seen) {
      const resource = current(seen);
      if (resource === undefined || resource.spec.cancel === true) return;
      put(resource, { generation: resource.generation + 1, spec: { ...resource.spec, cancel: true } });
      changed(seen.name);
    },
    async deleteScreenshotJob(seen) {
      if (current(seen) === undefined) return;
      const owned = [...jobs.values()].filter(({ spec }) => spec.owner.uid === seen.uid);
      await Promise.all(owned.map(({ spec, uid }) => this.deleteJob({ name: spec.name, uid })));
      resources.delete(seen.name);
      events.delete(seen.name);
      changed(seen.name);
    },
    async releaseScreenshotJob() {
      // Nothing waits here: it is gone when it was deleted.
    },
    async createJob(spec: CaptureJobSpec) {
      const known = jobs.get(spec.name);
      if (known !== undefined) {
        if (known.deleting || known.spec.owner.uid !== spec.owner.uid)
          throw new ConflictError(`${spec.name} is another's.`);
        return 'exists';
      }
      jobs.set(spec.name, new LocalJob(spec, backoffMs));
      schedule();
      return 'created';
    },
    async getJob(name) {
      return jobs.get(name)?.view();
    },
    async listJobs() {
      return [...jobs.values()].map((job) => job.view());
    },
    async deleteJob({ name, uid }) {
      const job = jobs.get(name);
      if (job?.uid !== uid) return;
      job.deleting = true;
      await end(job.pods);
      if (jobs.get(name) === job) jobs.delete(name);
      changed(job.spec.owner.name);
      schedule();
    },
    async recordEvent({ name }, event) {
      events.set(name, [...(events.get(name) ?? []), event].slice(-MOST_EVENTS));
    },
    watch(watcher) {
      watchers.add(watcher);
      return {
        close: async () => {
          watchers.delete(watcher);
        },
      };
    },
    async close() {
      closed = true;
      clearTimeout(wake);
      await end([...running.keys()]);
    },
    events: (name) => events.get(name) ?? [],
  };
}
