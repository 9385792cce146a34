/** What the cluster holds of us, kept by watches that begin with the first question. */
import type { ClusterLog } from '../localPod.ts';
import type { ApiServer } from './apiServer.ts';
import { type JobState, readJob } from './jobState.ts';
import { LABEL, NODES, type Paths } from './names.ts';
import { type NodeState, readNode } from './nodeState.ts';
import { type PodState, readPod } from './podState.ts';
import { type Reflector, startReflector } from './reflector.ts';
import { type ResourceState, readResource } from './screenshotJobs.ts';
import type { Change, Store, Stored } from './store.ts';

export interface CachesOptions {
  readonly api: ApiServer;
  readonly paths: Paths;
  readonly installation: string;
  readonly readsNodes: boolean;
  readonly log: ClusterLog;
  readonly relisted?: ((path: string) => void) | undefined;
  /** The name of a ScreenshotJob of which something has changed. */
  readonly changed: (name: string) => void;
  readonly jobGone: (uid: string) => void;
}

export interface Caches {
  readonly resources: Store<ResourceState>;
  readonly jobs: Store<JobState>;
  /** In groups by the uid of their Job. */
  readonly pods: Store<PodState>;
  readonly nodes: Store<NodeState> | undefined;
  ready(): Promise<void>;
  staleness(): number;
  stop(): Promise<void>;
}

/** A reconcile that waits for longer is better tried again. */
const READY_MS = 30_000;

export function startCaches(options: CachesOptions): Caches {
  const { api, paths, installation, readsNodes, log, relisted, changed, jobGone } = options;
  const labelSelector = `${LABEL.installation}=${installation}`;
  const common = { api, log, relisted, labelSelector };
  const tell = (change: Change<JobState | PodState>) => {
    const owner = (change.is ?? change.was)?.ownerName ?? '';
    if (owner !== '' && !isSame(change, withoutVersion)) changed(owner);
  };

  const resources = startReflector<ResourceState>({
    ...common,
    path: paths.screenshotJobs,
    read: readResource,
    changed: (change) => {
      // A status is written by us alone, and nobody has to react to it.
      if (!isSame(change, ({ version: _, status: __, ...rest }) => rest)) changed(nameOf(change));
    },
  });
  const jobs = startReflector<JobState>({
    ...common,
    path: paths.jobs,
    read: readJob,
    changed: (change) => {
      if (change.is === undefined && change.was !== undefined) jobGone(change.was.uid);
      tell(change);
    },
  });
  const pods = startReflector<PodState>({
    ...common,
    path: paths.pods,
    read: readPod,
    groupOf: ({ jobUid }) => jobUid,
    changed: tell,
  });
  const nodes = readsNodes
    ? startReflector<NodeState>({
        ...{ api, log, relisted },
        path: NODES,
        read: readNode,
        changed: (change) => {
          if (isSame(change, withoutVersion)) return;
          const name = nameOf(change);
          for (const pod of pods.store.all()) if (pod.node === name) changed(pod.ownerName);
        },
      })
    : undefined;
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
