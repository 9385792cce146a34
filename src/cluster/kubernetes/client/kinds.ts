/** The kinds of objects that are listed and watched, in one form for all. */
import type { V1Job, V1Node, V1ObjectMeta, V1Pod } from '@kubernetes/client-node';
import { apiErrorOf } from './apiErrors.ts';
import type { CallOptions, ClusterConnection, WatchLine, WatchOptions } from './connection.ts';
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

export interface ObjectPage<T> {
  readonly items: readonly T[];
  /** The resourceVersion of the whole list. */
  readonly version: string | undefined;
  /** Token of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  /** The object of a bookmark has nothing but a resourceVersion. Times are strings, unlike in a list. */
  readonly object: T;
  /** The resourceVersion of the object. */
  readonly version: string | undefined;
}

/** All methods throw ApiError and UnreachableError. */
export interface ListedKind<T> {
  /** Path of the collection. */
  readonly path: string;
  list(query: ListQuery, options?: CallOptions): Promise<ObjectPage<T>>;
  /** Ends when the API server ends the watch. @throws SilenceError, and ApiError for an event of type ERROR */
  watch(query: WatchQuery, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
}

interface WatchQuery {
  readonly labelSelector: string | undefined;
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
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
  const ofKind = <T extends { readonly metadata?: { readonly resourceVersion?: string } }>(
    path: string,
    list: (query: ListQuery, options: ReturnType<ClusterConnection['options']>) => Promise<List<T>>,
  ): ListedKind<T> => ({
    path,
    list: async (query, options) => pageOf(await list(query, connection.options(options))),
    watch: (query, options) => readEvents<T>(path, connection.watch(path, { ...query }, options)),
  });
  return {
    screenshotJobs: ofKind(
      `/apis/${GROUP}/${VERSION}/namespaces/${namespace}/${SCREENSHOT_JOBS.plural}`,
      (query, options) => custom.listNamespacedCustomObject({ ...SCREENSHOT_JOBS, namespace, ...query }, options),
    ),
    jobs: ofKind(`/apis/batch/v1/namespaces/${namespace}/jobs`, (query, options) =>
      batch.listNamespacedJob({ namespace, ...query }, options),
    ),
    pods: ofKind(`/api/v1/namespaces/${namespace}/pods`, (query, options) =>
      core.listNamespacedPod({ namespace, ...query }, options),
    ),
    nodes: ofKind('/api/v1/nodes', (query, options) => core.listNode(query, options)),
  };
}

/** The library renames the token of typed lists only. */
interface List<T> {
  readonly items?: readonly T[];
  readonly metadata?: { readonly resourceVersion?: string; readonly _continue?: string; readonly continue?: string };
}

function pageOf<T>({ items = [], metadata = {} }: List<T>): ObjectPage<T> {
  const next = metadata._continue ?? metadata.continue;
  return { items, version: metadata.resourceVersion, next: next === '' ? undefined : next };
}

async function* readEvents<T extends { readonly metadata?: { readonly resourceVersion?: string } }>(
  path: string,
  lines: AsyncIterable<WatchLine>,
): AsyncGenerator<WatchEvent<T>> {
  for await (const { type, object } of lines) {
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
      case 'BOOKMARK': {
        // The API server validates its objects against their schemas before it stores them.
        const known = object as T;
        yield { type, object: known, version: known.metadata?.resourceVersion };
        break;
      }
      case 'ERROR': {
        const { code = 500 } = object as { code?: number };
        throw apiErrorOf(`watch ${path}`, code, JSON.stringify(object));
      }
      default:
      // A type of a later version of Kubernetes.
    }
  }
}
