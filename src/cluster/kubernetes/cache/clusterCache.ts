/** The caches of all kinds that the controller reads, each kept up to date by a watch. */
import type { V1Node } from '@kubernetes/client-node';
import type { Log } from '../../../lib/log.ts';
import type { ListedKinds } from '../client/kinds.ts';
import { LABEL } from '../client/names.ts';
import type { CachedObject, ObjectCache, ObjectChange } from './objectCache.ts';
import {
  type JobState,
  type PodState,
  readIdentity,
  readJob,
  readPod,
  readScreenshotJob,
  type ScreenshotJobState,
} from './objectStates.ts';
import { Reflector } from './reflector.ts';

export interface ClusterCacheOptions {
  readonly clients: ListedKinds;
  readonly installation: string;
  readonly readsNodes: boolean;
  readonly log: Log;
  /** Gets the name of a ScreenshotJob if it, its Job, a pod or a node of a pod has changed. */
  readonly changed: (name: string) => void;
  readonly jobGone: (uid: string) => void;
}

export interface ClusterCache {
  readonly screenshotJobs: ObjectCache<ScreenshotJobState>;
  readonly jobs: ObjectCache<JobState>;
  readonly pods: ObjectCache<PodState>;
  /** Undefined without the permission to read nodes. */
  readonly nodes: ObjectCache<NodeState> | undefined;
  /** Resolves when all first lists are in the cache. @throws Error after 30 s. */
  ready(): Promise<void>;
  /** Milliseconds; that of the most stale cache. */
  staleness(): number;
  stop(): Promise<void>;
}

/** The fields of a node that the cache keeps. */
export interface NodeState extends CachedObject {
  readonly ready: boolean;
}

/** A reconciliation that waits longer fails and is retried. */
const READY_MS = 30_000;

/** Starts the watches at once. */
export function startClusterCache(options: ClusterCacheOptions): ClusterCache {
  const screenshotJobs = watchScreenshotJobs(options);
  const jobs = watchJobs(options);
  const pods = watchPods(options);
  const nodes = options.readsNodes ? watchNodes(options, pods.cache) : undefined;
  const all = [screenshotJobs, jobs, pods, ...(nodes === undefined ? [] : [nodes])];
  return {
    screenshotJobs: screenshotJobs.cache,
    jobs: jobs.cache,
    pods: pods.cache,
    nodes: nodes?.cache,
    async ready() {
      await Promise.all(all.map((reflector) => reflector.ready(READY_MS)));
    },
    staleness: () => Math.max(...all.map((reflector) => reflector.staleness())),
    async stop() {
      await Promise.all(all.map((reflector) => reflector.stop()));
    },
  };
}

function watchScreenshotJobs(options: ClusterCacheOptions) {
  const { clients, changed } = options;
  return new Reflector({
    ...commonOptions(options),
    client: clients.screenshotJobs,
    read: readScreenshotJob,
    changed: (change) => {
      // Only the controller writes a status and removes the finalizer, so these changes need no reconciliation.
      if (!isSame(change, ({ version: _, status: __, held: ___, ...rest }) => rest)) changed(nameOf(change));
    },
  });
}

function watchJobs(options: ClusterCacheOptions) {
  return new Reflector({
    ...commonOptions(options),
    client: options.clients.jobs,
    read: readJob,
    changed: (change) => {
      if (change.after === undefined && change.before !== undefined) options.jobGone(change.before.uid);
      notifyOwner(options, change);
    },
  });
}

function watchPods(options: ClusterCacheOptions) {
  return new Reflector({
    ...commonOptions(options),
    client: options.clients.pods,
    read: readPod,
    changed: (change) => notifyOwner(options, change),
  });
}

/** Watches all nodes, because they do not have our label. */
function watchNodes({ clients, log, changed }: ClusterCacheOptions, pods: ObjectCache<PodState>) {
  return new Reflector({
    client: clients.nodes,
    log,
    read: readNode,
    changed: (change) => {
      if (isSame(change, withoutVersion)) return;
      const name = nameOf(change);
      for (const pod of pods.all()) if (pod.node === name) changed(pod.ownerName);
    },
  });
}

function readNode({ metadata = {}, status }: V1Node): NodeState {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return { ...readIdentity(metadata), ready: ready?.status === 'True' };
}

function commonOptions({ log, installation }: ClusterCacheOptions) {
  return { log, labelSelector: `${LABEL.installation}=${installation}` };
}

function notifyOwner({ changed }: ClusterCacheOptions, change: ObjectChange<JobState | PodState>): void {
  const owner = (change.after ?? change.before)?.ownerName ?? '';
  if (owner !== '' && !isSame(change, withoutVersion)) changed(owner);
}

function nameOf({ before, after }: ObjectChange<CachedObject>): string {
  return (after ?? before)?.name ?? '';
}

function withoutVersion<T extends CachedObject>({ version: _, ...rest }: T): object {
  return rest;
}

/** @param part selects the fields to compare. */
function isSame<T>({ before, after }: ObjectChange<T>, part: (object: T) => object): boolean {
  if (before === undefined || after === undefined) return false;
  return JSON.stringify(part(before)) === JSON.stringify(part(after));
}
