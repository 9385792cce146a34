/** A cluster of Kubernetes: what the controller asks of a cluster, as calls of its API server. */
import type { CaptureProfile } from '../../contract/captureProfile.ts';
import type { ScreenshotJob, ScreenshotJobSpec, ScreenshotJobStatus } from '../../contract/screenshotJob.ts';
import type { Log } from '../../lib/log.ts';
import type { CaptureJob, CaptureJobSpec, ClusterPort, RecordedEvent, StrayJob } from '../port.ts';
import { type Caches, startCaches } from './cache/caches.ts';
import { type ResourceState, SeenScreenshotJob } from './cache/screenshotJobs.ts';
import { type ApiServer, createApiServer } from './client/apiServer.ts';
import { loadCredentials } from './client/credentials.ts';
import { type Paths, pathsOf, resourceOf } from './client/names.ts';
import { type Elector, type ElectorOptions, startElector } from './elector.ts';
import { createEvents, type Events } from './jobs/events.ts';
import { JobViews } from './jobs/jobViews.ts';
import { JobWrites } from './jobs/jobWrites.ts';
import { ResourceWrites } from './jobs/resourceWrites.ts';
import { listStrays } from './jobs/unlabeledObjects.ts';

export interface KubernetesOptions {
  readonly namespace: string;
  /** The uuid of the table `installation`: every object of ours bears it, and no other one's is seen. */
  readonly installation: string;
  readonly profile: CaptureProfile;
  /** Names a lost node as soon as the cluster knows it; needs the right to read nodes. */
  readonly readsNodes?: boolean;
  /** Path; without it $KUBECONFIG, the service account of the pod, or the user's own. */
  readonly kubeconfig?: string;
  readonly log: Log;
  readonly observe?: KubernetesObserver;
}

export interface KubernetesObserver {
  /** A request was answered; code 0: it was not. */
  requested?(request: { verb: string; resource: string; code: number; seconds: number }): void;
  /** Everything of a kind was listed: at the start, and when the server had forgotten where a watch was. */
  relisted?(resource: string): void;
}

export interface KubernetesCluster extends ClusterPort {
  /** Milliseconds since what is cached was last known to be up to date; undefined: nothing is cached yet. */
  staleness(): number | undefined;
  /** Competes for a Lease of the namespace. Needs no cache, so that whoever waits holds none. */
  startElector(options: ElectorOptions): Elector;
}

/** Asks nothing of the server yet. @throws where no server is named */
export async function connectKubernetes(options: KubernetesOptions): Promise<KubernetesCluster> {
  const { observe } = options;
  const api = createApiServer({
    credentials: await loadCredentials(options.kubeconfig),
    answered: ({ verb, path, code, seconds }) => {
      observe?.requested?.({ verb, resource: resourceOf(path), code, seconds });
    },
  });
  return new ClusterOfServer(api, options);
}

class ClusterOfServer implements KubernetesCluster {
  readonly #api: ApiServer;
  readonly #options: KubernetesOptions;
  readonly #paths: Paths;
  readonly #events: Events;
  readonly #views: JobViews;
  readonly #watchers = new Set<(name: string) => void>();
  #begun: Caches | undefined;

  constructor(api: ApiServer, options: KubernetesOptions) {
    const { namespace, log } = options;
    this.#api = api;
    this.#options = options;
    this.#paths = pathsOf(namespace);
    this.#events = createEvents({ api, path: this.#paths.events, namespace, log });
    this.#views = new JobViews({ events: this.#events, changed: (name) => this.#changed(name) });
  }

  async createScreenshotJob(name: string, spec: ScreenshotJobSpec): Promise<'created' | 'exists'> {
    return this.#resources.create(name, spec);
  }

  async getScreenshotJob(name: string): Promise<ScreenshotJob | undefined> {
    const resource = (await this.#known()).resources.get(name);
    return resource && this.#judged(resource);
  }

  async listScreenshotJobs(): Promise<ScreenshotJob[]> {
    const { resources } = await this.#known();
    return Promise.all(resources.all().map((resource) => this.#judged(resource)));
  }

  async updateStatus(seen: ScreenshotJob, status: ScreenshotJobStatus): Promise<void> {
    await this.#resources.updateStatus(seen, status);
  }

  async deleteScreenshotJob(seen: ScreenshotJob): Promise<void> {
    await this.#resources.delete(seen);
  }

  async releaseScreenshotJob(seen: ScreenshotJob): Promise<void> {
    await this.#resources.release(seen);
  }

  async labelScreenshotJob(seen: ScreenshotJob): Promise<void> {
    await this.#resources.label(seen);
  }

  listStrays(): Promise<{ resources: ScreenshotJob[]; jobs: StrayJob[] }> {
    return listStrays(this.#api, this.#paths);
  }

  async createJob(spec: CaptureJobSpec): Promise<'created' | 'exists'> {
    return this.#jobs.create(spec);
  }

  async getJob(name: string): Promise<CaptureJob | undefined> {
    const caches = await this.#known();
    const job = caches.jobs.get(name);
    return job && this.#views.view(job, caches);
  }

  async listJobs(): Promise<CaptureJob[]> {
    const caches = await this.#known();
    return caches.jobs.all().map((job) => this.#views.glance(job, caches));
  }

  async deleteJob(
    seen: Pick<CaptureJob, 'name' | 'uid'>,
    { waits = false }: { readonly waits?: boolean } = {},
  ): Promise<void> {
    await this.#jobs.delete(seen, waits);
  }

  async recordEvent(about: ScreenshotJob, event: RecordedEvent): Promise<void> {
    await this.#events.record(about, event);
  }

  watch(changed: (name: string) => void): { close(): Promise<void> } {
    this.#watchers.add(changed);
    this.#caches();
    return {
      close: async () => {
        this.#watchers.delete(changed);
      },
    };
  }

  staleness(): number | undefined {
    return this.#begun?.staleness();
  }

  startElector(elector: ElectorOptions): Elector {
    const { namespace, log } = this.#options;
    return startElector({ api: this.#api, namespace, log }, elector);
  }

  async close(): Promise<void> {
    this.#views.close();
    await this.#begun?.stop();
    await this.#api.close();
  }

  #changed(name: string): void {
    for (const watcher of [...this.#watchers]) watcher(name);
  }

  /** Filled from the first question on. */
  #caches(): Caches {
    const { installation, readsNodes = false, log, observe } = this.#options;
    this.#begun ??= startCaches({
      ...{ api: this.#api, paths: this.#paths, installation, readsNodes, log },
      changed: (name) => this.#changed(name),
      relisted: (path) => observe?.relisted?.(resourceOf(path)),
      jobGone: (uid) => this.#views.forget(uid),
    });
    return this.#begun;
  }

  async #known(): Promise<Caches> {
    const caches = this.#caches();
    await caches.ready();
    return caches;
  }

  get #resources(): ResourceWrites {
    const { namespace, installation } = this.#options;
    const store = this.#caches().resources;
    return new ResourceWrites({ api: this.#api, path: this.#paths.screenshotJobs, namespace, installation, store });
  }

  get #jobs(): JobWrites {
    const { namespace, installation, profile } = this.#options;
    const store = this.#caches().jobs;
    return new JobWrites({ api: this.#api, path: this.#paths.jobs, namespace, installation, profile, store });
  }

  /** A namespace that goes takes everything with it; that says nothing about what was asked for. */
  async #judged(state: ResourceState): Promise<ScreenshotJob> {
    const isOurs = !state.deleting || state.removedByUs || (await this.#events.isNamespaceEnding());
    return new SeenScreenshotJob(state, { removedByUs: state.deleting && isOurs });
  }
}
