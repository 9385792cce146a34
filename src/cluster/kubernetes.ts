/** A cluster of Kubernetes: what the controller asks of a cluster, as calls of its API server. */
import type { CaptureProfile } from '../contract/captureProfile.ts';
import type { ScreenshotJob } from '../contract/screenshotJob.ts';
import { type ApiServer, createApiServer } from './kubernetes/apiServer.ts';
import { type Caches, startCaches } from './kubernetes/caches.ts';
import { loadCredentials } from './kubernetes/credentials.ts';
import { type Elector, type ElectorOptions, startElector } from './kubernetes/elector.ts';
import { createEvents } from './kubernetes/events.ts';
import { JobViews } from './kubernetes/jobViews.ts';
import { JobWrites } from './kubernetes/jobWrites.ts';
import { pathsOf, resourceOf } from './kubernetes/names.ts';
import { ResourceWrites } from './kubernetes/resourceWrites.ts';
import { type ResourceState, SeenScreenshotJob } from './kubernetes/screenshotJobs.ts';
import { listStrays } from './kubernetes/strays.ts';
import type { ClusterLog } from './localPod.ts';
import type { ClusterPort } from './port.ts';

export interface KubernetesOptions {
  readonly namespace: string;
  /** The uuid of the table `installation`: every object of ours bears it, and no other one's is seen. */
  readonly installation: string;
  readonly profile: CaptureProfile;
  /** Names a lost node as soon as the cluster knows it; needs the right to read nodes. */
  readonly readsNodes?: boolean;
  /** Path; without it $KUBECONFIG, the service account of the pod, or the user's own. */
  readonly kubeconfig?: string;
  readonly log: ClusterLog;
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
  return createCluster(api, options);
}

function createCluster(api: ApiServer, options: KubernetesOptions): KubernetesCluster {
  const { namespace, installation, profile, readsNodes = false, log, observe } = options;
  const paths = pathsOf(namespace);
  const watchers = new Set<(name: string) => void>();
  const changed = (name: string) => {
    for (const watcher of [...watchers]) watcher(name);
  };
  const events = createEvents({ api, path: paths.events, namespace, log });
  const views = new JobViews({ events, changed });
  let caches: Caches | undefined;

  const begin = () => {
    caches ??= startCaches({
      ...{ api, paths, installation, readsNodes, log, changed },
      relisted: (path) => observe?.relisted?.(resourceOf(path)),
      jobGone: (uid) => views.forget(uid),
    });
    return caches;
  };
  const known = async () => {
    const begun = begin();
    await begun.ready();
    return begun;
  };
  const common = { api, namespace, installation };
  const resources = () => new ResourceWrites({ ...common, path: paths.screenshotJobs, store: begin().resources });
  const jobs = () => new JobWrites({ ...common, profile, path: paths.jobs, store: begin().jobs });

  /** A namespace that goes takes everything with it; that says nothing about what was asked for. */
  const judged = async (state: ResourceState): Promise<ScreenshotJob> => {
    const isOurs = !state.deleting || state.removedByUs || (await events.isNamespaceEnding());
    return new SeenScreenshotJob(state, { removedByUs: state.deleting && isOurs });
  };

  return {
    createScreenshotJob: (name, spec) => resources().create(name, spec),
    async getScreenshotJob(name) {
      const resource = (await known()).resources.get(name);
      return resource && judged(resource);
    },
    listScreenshotJobs: async () => Promise.all((await known()).resources.all().map(judged)),
    updateStatus: (seen, status) => resources().updateStatus(seen, status),
    cancelScreenshotJob: (seen) => resources().cancel(seen),
    deleteScreenshotJob: (seen) => resources().delete(seen),
    releaseScreenshotJob: (seen) => resources().release(seen),
    labelScreenshotJob: (seen) => resources().label(seen),
    listStrays: () => listStrays(api, paths),
    createJob: (spec) => jobs().create(spec),
    async getJob(name) {
      const begun = await known();
      const job = begun.jobs.get(name);
      return job && views.view(job, begun);
    },
    async listJobs() {
      const begun = await known();
      return begun.jobs.all().map((job) => views.glance(job, begun));
    },
    deleteJob: (seen, { waits = false } = {}) => jobs().delete(seen, waits),
    recordEvent: (about, event) => events.record(about, event),
    watch(watcher) {
      watchers.add(watcher);
      begin();
      return {
        async close() {
          watchers.delete(watcher);
        },
      };
    },
    async close() {
      views.close();
      await caches?.stop();
      await api.close();
    },
    staleness: () => caches?.staleness(),
    startElector: (elector) => startElector({ api, namespace, log }, elector),
  };
}
