/** The kinds of objects that are listed and watched, in one form for all. */
import type { V1Job, V1Node, V1ObjectMeta, V1Pod } from '@kubernetes/client-node';
import type { CallOptions, ClusterConnection, WatchEvent, WatchOptions, WatchQuery } from './connection.ts';
import { GROUP, VERSION } from './names.ts';

/**
 * A ScreenshotJob as the API server holds it. `contract/screenshotJob.ts` has the schemas of `spec` and `status`. The library knows no type
 * of it, so its times are strings.
 */
export interface ScreenshotJobObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: Omit<V1ObjectMeta, 'creationTimestamp' | 'deletionTimestamp' | 'managedFields'> & {
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: unknown;
  readonly status?: unknown;
}

export interface ListQuery {
  readonly labelSelector?: string;
  readonly limit?: number;
  readonly _continue?: string;
}

/** The part that all kinds of objects have. */
export interface VersionedObject {
  readonly metadata?: { readonly resourceVersion?: string };
}

/** As the library has the typed lists. */
export interface ObjectList<T> {
  readonly items: readonly T[];
  readonly metadata?: { readonly resourceVersion?: string; readonly _continue?: string };
}

/** All methods throw ApiError and UnreachableError. */
export interface ListedKind<T> {
  /** Path of the collection. */
  readonly path: string;
  list(query: ListQuery, options?: CallOptions): Promise<ObjectList<T>>;
  /** See `ClusterConnection.watch`. */
  watch(query: WatchQuery, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
}

export interface ListedKinds {
  readonly screenshotJobs: ListedKind<ScreenshotJobObject>;
  readonly jobs: ListedKind<V1Job>;
  readonly pods: ListedKind<V1Pod>;
  readonly nodes: ListedKind<V1Node>;
}

/** Names ScreenshotJobs for the library. */
export const SCREENSHOT_JOBS = { group: GROUP, version: VERSION, plural: 'screenshotjobs' } as const;

export function listedKinds(connection: ClusterConnection, namespace: string): ListedKinds {
  const { batch, core, custom } = connection.apis;
  type Limits = ReturnType<ClusterConnection['options']>;
  const ofKind = <T>(
    path: string,
    list: (query: ListQuery, limits: Limits) => Promise<ObjectList<T>>,
  ): ListedKind<T> => ({
    path,
    list: (query, options) => list(query, connection.options(options)),
    watch: (query, options) => connection.watch<T>(path, { ...query }, options),
  });
  return {
    screenshotJobs: ofKind(
      `/apis/${GROUP}/${VERSION}/namespaces/${namespace}/screenshotjobs`,
      async (query, limits) => {
        const list = await custom.listNamespacedCustomObject({ ...SCREENSHOT_JOBS, namespace, ...query }, limits);
        return { ...list, metadata: { ...list.metadata, _continue: list.metadata?.continue } };
      },
    ),
    jobs: ofKind(`/apis/batch/v1/namespaces/${namespace}/jobs`, (query, limits) =>
      batch.listNamespacedJob({ namespace, ...query }, limits),
    ),
    pods: ofKind(`/api/v1/namespaces/${namespace}/pods`, (query, limits) =>
      core.listNamespacedPod({ namespace, ...query }, limits),
    ),
    nodes: ofKind('/api/v1/nodes', (query, limits) => core.listNode(query, limits)),
  };
}
