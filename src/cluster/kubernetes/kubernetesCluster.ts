/** The port to a cluster, implemented with an API server. Reads come from caches, writes go to the API server. */
import type { CaptureProfile } from '../../contract/captureProfile.ts';
import type { ScreenshotJob } from '../../contract/screenshotJob.ts';
import type { Log } from '../../lib/log.ts';
import type { ClusterPort, UnlabeledObjects } from '../port.ts';
import { type ClusterCache, startClusterCache } from './cache/clusterCache.ts';
import { asScreenshotJob, readJob, readScreenshotJob, type ScreenshotJobState } from './cache/objectStates.ts';
import { type ClusterConnection, connect } from './client/connection.ts';
import { type ListedKinds, listedKinds } from './client/kinds.ts';
import { LABEL, resourceOf } from './client/names.ts';
import { Elector, type ElectorOptions } from './elector.ts';
import { CaptureJobReader } from './jobs/captureJobReader.ts';
import { dryRunCaptures } from './jobs/dryRun.ts';
import { Events } from './jobs/events.ts';
import { profileHash } from './jobs/jobManifest.ts';
import { jobWriter } from './jobs/jobWriter.ts';
import { screenshotJobWriter } from './jobs/screenshotJobWriter.ts';
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
  /** Called after each request; the code is 0 if no answer came. */
  readonly requested?: (request: { verb: string; resource: string; code: number; seconds: number }) => void;
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
  const connection = await connect({
    kubeconfig: options.kubeconfig,
    onResponse: ({ verb, path, code, seconds }) => {
      options.requested?.({ verb, resource: resourceOf(path), code, seconds });
    },
  });
  return clusterOf(connection, options);
}

/** The next audit finds the others. */
const MAX_UNLABELED = 100;

function clusterOf(connection: ClusterConnection, options: KubernetesOptions): KubernetesCluster {
  const { namespace, installation, profile, readsNodes = false, log } = options;
  const means = { connection, namespace, installation, profile };
  const kinds = listedKinds(connection, namespace);
  const events = new Events({ connection, namespace, log });
  const watchers = new Set<(name: string) => void>();
  let started: ClusterCache | undefined;

  const notify = (name: string) => {
    for (const watcher of [...watchers]) {
      try {
        watcher(name);
      } catch (err) {
        // Timers call this too, where an exception would end the process.
        log.error({ resource: name, err }, 'a watcher of the cluster failed');
      }
    }
  };
  const jobReader = new CaptureJobReader({ profile: profileHash(profile), events, changed: notify });

  /** Starts the caches at the first call. */
  const cache = (): ClusterCache => {
    started ??= startClusterCache({
      ...{ clients: kinds, installation, readsNodes, log },
      changed: notify,
      jobGone: (uid) => jobReader.forget(uid),
    });
    return started;
  };
  const readyCache = async (): Promise<ClusterCache> => {
    await cache().ready();
    return cache();
  };

  /** A deletion counts as ours if the whole namespace is being deleted, because that must not cancel the set. */
  const asSeen = async (state: ScreenshotJobState): Promise<ScreenshotJob> => {
    const isOurs = !state.deleting || state.removedByUs || (await events.isNamespaceEnding());
    return asScreenshotJob(state, { removedByUs: state.deleting && isOurs });
  };

  return {
    ...screenshotJobWriter({ ...means, cache: () => cache().screenshotJobs }),
    ...jobWriter({ ...means, cache: () => cache().jobs }),
    async getScreenshotJob(name) {
      const state = (await readyCache()).screenshotJobs.get(name);
      return state && asSeen(state);
    },
    async listScreenshotJobs() {
      const { screenshotJobs } = await readyCache();
      return Promise.all(screenshotJobs.all().map(asSeen));
    },
    listUnlabeled: () => listUnlabeled(kinds, installation),
    async getJob(name) {
      const current = await readyCache();
      const job = current.jobs.get(name);
      return job && jobReader.read(job, current);
    },
    listJobs: async () => jobReader.readAll(await readyCache()),
    recordEvent: (resource, event) => events.record(resource, event),
    watch(changed) {
      watchers.add(changed);
      cache();
      return {
        close: async () => {
          watchers.delete(changed);
        },
      };
    },
    staleness: () => started?.staleness(),
    dryRunCaptures: ({ pods }) => dryRunCaptures({ ...means, pods }),
    summarize: (leaseName) => summarize(connection, { namespace, installation, leaseName }),
    startElector: (elector) => new Elector({ connection, namespace, log }, elector),
    async close() {
      jobReader.close();
      await started?.stop();
      await connection.close();
    },
  };
}

async function listUnlabeled({ screenshotJobs, jobs }: ListedKinds, installation: string): Promise<UnlabeledObjects> {
  const limit = MAX_UNLABELED;
  // Two lists, because objects of other installations must not fill the page of those without a label.
  const selectors = [`!${LABEL.installation}`, `${LABEL.installation},${LABEL.installation}!=${installation}`];
  const resourcePages = selectors.map((labelSelector) => screenshotJobs.list({ labelSelector, limit }));
  const jobPages = selectors.map((selector) =>
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
