/** What the cluster holds of us, kept by watches that begin with the first question. */
import type { Log } from '../../../lib/log.ts';
import type { ApiServer } from '../client/apiServer.ts';
import { LABEL, NODES, type Paths } from '../client/names.ts';
import { type JobState, readJob } from './jobState.ts';
import { type NodeState, readNode } from './nodeState.ts';
import type { Change, ObjectStore, Stored } from './objectStore.ts';
import { type PodState, readPod } from './podState.ts';
import { type Reflector, startReflector } from './reflector.ts';
import { type ResourceState, readResource } from './screenshotJobs.ts';

export interface CachesOptions {
  readonly api: ApiServer;
  readonly paths: Paths;
  readonly installation: string;
  readonly readsNodes: boolean;
  readonly log: Log;
  readonly relisted?: ((path: string) => void) | undefined;
  /** The name of a ScreenshotJob of which something has changed. */
  readonly changed: (name: string) => void;
  readonly jobGone: (uid: string) => void;
}

export interface Caches {
  readonly resources: ObjectStore<ResourceState>;
  readonly jobs: ObjectStore<JobState>;
  /** In groups by the uid of their Job. */
  readonly pods: ObjectStore<PodState>;
  readonly nodes: ObjectStore<NodeState> | undefined;
  ready(): Promise<void>;
  staleness(): number;
  stop(): Promise<void>;
}

/** A reconcile that waits for longer is better tried again. */
const READY_MS = 30_000;

export function startCaches(options: CachesOptions): Caches {
  const resources = watchResources(options);
  const jobs = watchJobs(options);
  const pods = watchPods(options);
  const nodes = options.readsNodes ? watchNodes(options, pods.store) : undefined;
  const all: readonly Pick<Reflector<Stored>, 'ready' | 'staleness' | 'stop'>[] = [
    resources,
    jobs,
    pods,
    ...(nodes === undefined ? [] : [nodes]),
  ];
  return {
    resources: resources.store,
    jobs: jobs.store,
    pods: pods.store,
    nodes: nodes?.store,
    async ready() {
      await Promise.all(all.map((reflector) => reflector.ready(READY_MS)));
    },
    staleness: () => Math.max(...all.map((reflector) => reflector.staleness())),
    async stop() {
      await Promise.all(all.map((reflector) => reflector.stop()));
    },
  };
}

function watchResources(options: CachesOptions): Reflector<ResourceState> {
  return startReflector({
    ...selecting(options),
    path: options.paths.screenshotJobs,
    read: readResource,
    changed: (change) => {
      // A status is written by us alone, and nobody has to react to it.
      if (!isSame(change, ({ version: _, status: __, ...rest }) => rest)) options.changed(nameOf(change));
    },
  });
}

function watchJobs(options: CachesOptions): Reflector<JobState> {
  return startReflector({
    ...selecting(options),
    path: options.paths.jobs,
    read: readJob,
    changed: (change) => {
      if (change.is === undefined && change.was !== undefined) options.jobGone(change.was.uid);
      tellOwner(options, change);
    },
  });
}

function watchPods(options: CachesOptions): Reflector<PodState> {
  return startReflector({
    ...selecting(options),
    path: options.paths.pods,
    read: readPod,
    groupOf: ({ jobUid }) => jobUid,
    changed: (change) => tellOwner(options, change),
  });
}

/** All nodes there are: they bear no label of ours. */
function watchNodes({ api, log, relisted, changed }: CachesOptions, pods: ObjectStore<PodState>): Reflector<NodeState> {
  return startReflector({
    ...{ api, log, relisted },
    path: NODES,
    read: readNode,
    changed: (change) => {
      if (isSame(change, withoutVersion)) return;
      const name = nameOf(change);
      for (const pod of pods.all()) if (pod.node === name) changed(pod.ownerName);
    },
  });
}

function selecting({ api, log, relisted, installation }: CachesOptions) {
  return { api, log, relisted, labelSelector: `${LABEL.installation}=${installation}` };
}

function tellOwner({ changed }: CachesOptions, change: Change<JobState | PodState>): void {
  const owner = (change.is ?? change.was)?.ownerName ?? '';
  if (owner !== '' && !isSame(change, withoutVersion)) changed(owner);
}

function nameOf({ was, is }: Change<Stored>): string {
  return (is ?? was)?.name ?? '';
}

function withoutVersion<T extends Stored>({ version: _, ...rest }: T): object {
  return rest;
}

/** Whether nothing has changed that anybody here reads. */
function isSame<T>({ was, is }: Change<T>, part: (object: T) => object): boolean {
  if (was === undefined || is === undefined) return false;
  return JSON.stringify(part(was)) === JSON.stringify(part(is));
}
