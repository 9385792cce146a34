/** The port to a cluster, implemented with an API server. Reads come from caches, writes go to the API server. */
import type { CaptureProfile } from '../../contract/captureProfile.ts';
import type { ScreenshotJob, ScreenshotJobSpec, ScreenshotJobStatus } from '../../contract/screenshotJob.ts';
import type { Log } from '../../lib/log.ts';
import type {
  CaptureJob,
  CaptureJobSpec,
  ClusterPort,
  DeleteJobOptions,
  RecordedEvent,
  UnlabeledObjects,
} from '../port.ts';
import { type ClusterCache, startClusterCache } from './cache/clusterCache.ts';
import { asScreenshotJob, readJob, readScreenshotJob, type ScreenshotJobState } from './cache/objectStates.ts';
import { type ClusterConnection, connect } from './client/connection.ts';
import { type ListedKinds, listedKinds } from './client/kinds.ts';
import { LABEL, resourceOf } from './client/names.ts';
import { type Elector, type ElectorOptions, startElector } from './elector.ts';
import { CaptureJobReader } from './jobs/captureJobReader.ts';
import { dryRunCaptures } from './jobs/dryRun.ts';
import { createEvents, type Events } from './jobs/events.ts';
import { profileHash } from './jobs/jobManifest.ts';
import { JobWriter } from './jobs/jobWriter.ts';
import { ScreenshotJobWriter } from './jobs/screenshotJobWriter.ts';
import { type ClusterSummary, summarize } from './jobs/summary.ts';

export interface KubernetesOptions {
  readonly namespace: string;
  /** The uuid of the table `installation`: the label of every object that we create and watch. */
  readonly installation: string;
  readonly profile: CaptureProfile;
  /** Reports a lost node as soon as the cluster knows it. Needs the permission to read nodes. */
  readonly readsNodes?: boolean;
  /** Path of a kubeconfig. Without it: $KUBECONFIG, the service account of the pod, or ~/.kube/config. */
  readonly kubeconfig?: string;
  readonly log: Log;
  readonly observe?: KubernetesObserver;
}

export interface KubernetesObserver {
  /** Called after each request; the code is 0 if no answer came. */
  requested?(request: { verb: string; resource: string; code: number; seconds: number }): void;
}

export interface KubernetesCluster extends ClusterPort {
  /** Milliseconds since the caches were last known to be up to date; undefined before they are started. */
  staleness(): number | undefined;
  /** Asks the API server whether it would accept captures, and with `pods` their pods too. @throws RefusedError with the reason. */
  dryRunCaptures(options: { readonly pods: boolean }): Promise<void>;
  summarize(leaseName: string): Promise<ClusterSummary>;
  /** Competes for a Lease of the namespace. It starts no cache, because only the leader needs one. */
  startElector(options: ElectorOptions): Elector;
}

/** Sends no request yet. @throws Error if no API server is configured. */
export async function connectKubernetes(options: KubernetesOptions): Promise<KubernetesCluster> {
  const { observe } = options;
  const connection = await connect({
    kubeconfig: options.kubeconfig,
    onResponse: ({ verb, path, code, seconds }) => {
      observe?.requested?.({ verb, resource: resourceOf(path), code, seconds });
    },
  });
  return new ApiServerCluster(connection, options);
}

/** The next audit finds the others. */
const MAX_UNLABELED = 100;

class ApiServerCluster implements KubernetesCluster {
  readonly #connection: ClusterConnection;
  readonly #kinds: ListedKinds;
  readonly #options: KubernetesOptions;
  readonly #events: Events;
  readonly #jobReader: CaptureJobReader;
  readonly #watchers = new Set<(name: string) => void>();
  #startedCache: ClusterCache | undefined;

  constructor(connection: ClusterConnection, options: KubernetesOptions) {
    const { namespace, log } = options;
    this.#connection = connection;
    this.#kinds = listedKinds(connection, namespace);
    this.#options = options;
    this.#events = createEvents({ connection, namespace, log });
    this.#jobReader = new CaptureJobReader({
      profile: profileHash(options.profile),
      events: this.#events,
      changed: (name) => this.#notify(name),
    });
  }

  async createScreenshotJob(
    name: string,
    spec: ScreenshotJobSpec,
    traceparent?: string,
  ): Promise<'created' | 'exists'> {
    return this.#screenshotJobs.create(name, spec, traceparent);
  }

  async getScreenshotJob(name: string): Promise<ScreenshotJob | undefined> {
    const state = (await this.#readyCache()).screenshotJobs.get(name);
    return state && this.#asScreenshotJob(state);
  }

  async listScreenshotJobs(): Promise<ScreenshotJob[]> {
    const { screenshotJobs } = await this.#readyCache();
    return Promise.all(screenshotJobs.all().map((state) => this.#asScreenshotJob(state)));
  }

  async updateStatus(resource: ScreenshotJob, status: ScreenshotJobStatus): Promise<void> {
    await this.#screenshotJobs.updateStatus(resource, status);
  }

  async deleteScreenshotJob(resource: ScreenshotJob): Promise<void> {
    await this.#screenshotJobs.delete(resource);
  }

  async releaseScreenshotJob(resource: ScreenshotJob): Promise<void> {
    await this.#screenshotJobs.release(resource);
  }

  async labelScreenshotJob(resource: ScreenshotJob): Promise<void> {
    await this.#screenshotJobs.label(resource);
  }

  async listUnlabeled(): Promise<UnlabeledObjects> {
    const { screenshotJobs, jobs } = this.#kinds;
    const limit = MAX_UNLABELED;
    // Two lists, because objects of other installations must not fill the page of those without a label.
    const unlabeled = `!${LABEL.installation}`;
    const foreign = `${LABEL.installation},${LABEL.installation}!=${this.#options.installation}`;
    const resourcePages = [unlabeled, foreign].map((labelSelector) => screenshotJobs.list({ labelSelector, limit }));
    const jobPages = [unlabeled, foreign].map((selector) =>
      jobs.list({ labelSelector: `${LABEL.screenshotJob},${selector}`, limit }),
    );
    const resources = (await Promise.all(resourcePages)).flatMap(({ items }) => items);
    const found = (await Promise.all(jobPages)).flatMap(({ items }) => items);
    return {
      resources: resources.map((item) => ({
        resource: asScreenshotJob(readScreenshotJob(item)),
        installation: item.metadata?.labels?.[LABEL.installation],
      })),
      jobs: found.map(readJob).filter(({ deleting }) => !deleting),
    };
  }

  async createJob(spec: CaptureJobSpec): Promise<'created' | 'exists'> {
    return this.#jobs.create(spec);
  }

  async getJob(name: string): Promise<CaptureJob | undefined> {
    const cache = await this.#readyCache();
    const job = cache.jobs.get(name);
    return job && this.#jobReader.read(job, cache);
  }

  async listJobs(): Promise<CaptureJob[]> {
    const cache = await this.#readyCache();
    return cache.jobs.all().map((job) => this.#jobReader.readWithoutEvents(job, cache));
  }

  async resizeJob(job: Pick<CaptureJob, 'name' | 'uid'>, parallelism: number): Promise<void> {
    await this.#jobs.resize(job, parallelism);
  }

  async deleteJob(
    job: Pick<CaptureJob, 'name' | 'uid'>,
    { waitForPods = false }: DeleteJobOptions = {},
  ): Promise<void> {
    await this.#jobs.delete(job, { waitForPods });
  }

  async recordEvent(resource: ScreenshotJob, event: RecordedEvent): Promise<void> {
    await this.#events.record(resource, event);
  }

  watch(changed: (name: string) => void): { close(): Promise<void> } {
    this.#watchers.add(changed);
    this.#cache();
    return {
      close: async () => {
        this.#watchers.delete(changed);
      },
    };
  }

  staleness(): number | undefined {
    return this.#startedCache?.staleness();
  }

  dryRunCaptures({ pods }: { readonly pods: boolean }): Promise<void> {
    const { namespace, installation, profile } = this.#options;
    return dryRunCaptures({ connection: this.#connection, namespace, installation, profile, pods });
  }

  summarize(leaseName: string): Promise<ClusterSummary> {
    const { namespace, installation } = this.#options;
    return summarize(this.#connection, { namespace, installation, leaseName });
  }

  startElector(elector: ElectorOptions): Elector {
    const { namespace, log } = this.#options;
    return startElector({ connection: this.#connection, namespace, log }, elector);
  }

  async close(): Promise<void> {
    this.#jobReader.close();
    await this.#startedCache?.stop();
    await this.#connection.close();
  }

  #notify(name: string): void {
    for (const watcher of [...this.#watchers]) {
      try {
        watcher(name);
      } catch (err) {
        // Timers call this too, where an exception would end the process.
        this.#options.log.error({ resource: name, err }, 'a watcher of the cluster failed');
      }
    }
  }

  /** Starts the caches at the first call. */
  #cache(): ClusterCache {
    const { installation, readsNodes = false, log } = this.#options;
    this.#startedCache ??= startClusterCache({
      clients: this.#kinds,
      installation,
      readsNodes,
      log,
      changed: (name) => this.#notify(name),
      jobGone: (uid) => this.#jobReader.forget(uid),
    });
    return this.#startedCache;
  }

  async #readyCache(): Promise<ClusterCache> {
    const cache = this.#cache();
    await cache.ready();
    return cache;
  }

  get #screenshotJobs(): ScreenshotJobWriter {
    const { namespace, installation } = this.#options;
    const cache = this.#cache().screenshotJobs;
    return new ScreenshotJobWriter({ connection: this.#connection, namespace, installation, cache });
  }

  get #jobs(): JobWriter {
    const { namespace, installation, profile } = this.#options;
    const cache = this.#cache().jobs;
    return new JobWriter({ connection: this.#connection, namespace, installation, profile, cache });
  }

  /** A deletion counts as ours if the whole namespace is being deleted, because that must not cancel the set. */
  async #asScreenshotJob(state: ScreenshotJobState): Promise<ScreenshotJob> {
    const isOurs = !state.deleting || state.removedByUs || (await this.#events.isNamespaceEnding());
    return asScreenshotJob(state, { removedByUs: state.deleting && isOurs });
  }
}
