/** Typed calls for one kind of Kubernetes object. Paths, JSON and the types of the client library meet only here. */
import type {
  CoreV1Event,
  V1ConfigMap,
  V1DeleteOptions,
  V1Job,
  V1Lease,
  V1Node,
  V1ObjectMeta,
  V1Pod,
  V1Status,
  V1TokenReview,
} from '@kubernetes/client-node';
import { type ApiCall, apiErrorOf, isNotFound, type Query } from './apiRequest.ts';
import type { ApiServer, CallOptions, WatchLine, WatchOptions } from './apiServer.ts';
import { GROUP, VERSION } from './names.ts';

/** A ScreenshotJob as the API server holds it. `contract/screenshotJob.ts` has the schemas of `spec` and `status`. */
export interface ScreenshotJobObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: V1ObjectMeta;
  readonly spec?: unknown;
  readonly status?: unknown;
}

export interface ResourceClients {
  readonly screenshotJobs: ResourceClient<ScreenshotJobObject>;
  readonly jobs: ResourceClient<V1Job>;
  readonly pods: ResourceClient<V1Pod>;
  readonly events: ResourceClient<CoreV1Event>;
  readonly leases: ResourceClient<V1Lease>;
  readonly configMaps: ResourceClient<V1ConfigMap>;
  /** Nodes and TokenReviews belong to no namespace. */
  readonly nodes: ResourceClient<V1Node>;
  readonly tokenReviews: ResourceClient<V1TokenReview>;
}

/** A type of the client library as it is in JSON: a date is a string. The API server may send `null` for a field that has no value. */
export type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? Wire<Item>[]
    : T extends object
      ? { [Key in keyof T]: Wire<T[Key]> }
      : T;

/** The part that all kinds of objects have. */
export interface KubernetesObject {
  readonly kind?: string;
  readonly metadata?: V1ObjectMeta;
}

export interface ObjectPage<T> {
  readonly items: readonly Wire<T>[];
  /** The resourceVersion of the whole list. */
  readonly version: string | undefined;
  /** Token of the next page; undefined on the last one. */
  readonly next: string | undefined;
}

export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  /** The object of a bookmark has nothing but a resourceVersion. */
  readonly object: Wire<T>;
  /** The resourceVersion of the object. */
  readonly version: string | undefined;
}

export interface PatchTarget {
  readonly name: string;
  readonly subresource?: 'status';
}

/** All methods throw ApiError and UnreachableError. */
export interface ResourceClient<T> {
  /** Path of the collection. */
  readonly path: string;
  /** @returns undefined if there is no object of this name. */
  get(name: string, options?: CallOptions): Promise<Wire<T> | undefined>;
  list(query: Query, options?: CallOptions): Promise<ObjectPage<T>>;
  create(object: T | Wire<T>, options?: CallOptions & { readonly query?: Query }): Promise<Wire<T>>;
  /** Replaces the object. The API server answers 409 if the object has another resourceVersion by now. */
  update(name: string, object: T | Wire<T>, options?: CallOptions): Promise<Wire<T>>;
  /** @param patch a merge patch. */
  patch(target: PatchTarget, patch: object, options?: CallOptions): Promise<Wire<T>>;
  /** @returns the object if a finalizer still holds it, otherwise undefined. */
  delete(name: string, options: V1DeleteOptions): Promise<Wire<T> | undefined>;
  /** Ends when the API server ends the watch. @throws SilenceError, and ApiError for an event of type ERROR */
  watch(query: Query, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
}

/** @param path of the collection, for example `/api/v1/namespaces/shots/pods`. */
export function createResourceClient<T extends object>(api: ApiServer, path: string): ResourceClient<T> {
  const pathOf = (name: string) => `${path}/${name}`;
  const call = async (request: ApiCall, options?: CallOptions) => decode<Wire<T>>(await api.call(request, options));
  return {
    path,
    async get(name, options) {
      try {
        return await call({ verb: 'get', path: pathOf(name) }, options);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    async list(query, options) {
      const { items = [], metadata = {} } = decode<List<T>>(await api.call({ verb: 'list', path, query }, options));
      return {
        items,
        version: metadata.resourceVersion,
        next: metadata.continue === '' ? undefined : metadata.continue,
      };
    },
    create(object, { query = {}, ...options } = {}) {
      return call({ verb: 'create', path, query, body: object }, options);
    },
    update(name, object, options) {
      return call({ verb: 'update', path: pathOf(name), body: object }, options);
    },
    patch({ name, subresource }, patch, options) {
      const target = subresource === undefined ? pathOf(name) : `${pathOf(name)}/${subresource}`;
      return call({ verb: 'patch', path: target, body: patch }, options);
    },
    async delete(name, options) {
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...options };
      const answer = await api.call({ verb: 'delete', path: pathOf(name), body });
      // The API server answers with a Status if the object is gone.
      return decode<KubernetesObject>(answer).kind === 'Status' ? undefined : decode(answer);
    },
    async *watch(query, options) {
      for await (const line of api.watch({ path, query }, options)) {
        const event = readEvent<T>(path, line);
        if (event !== undefined) yield event;
      }
    },
  };
}

interface List<T> {
  readonly items?: readonly Wire<T>[];
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

function readEvent<T>(path: string, { type, object }: WatchLine): WatchEvent<T> | undefined {
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return { type, object: decode(object), version: decode<KubernetesObject>(object).metadata?.resourceVersion };
    case 'ERROR': {
      const { code = 500 } = decode<V1Status>(object);
      throw apiErrorOf(`watch ${path}`, code, JSON.stringify(object));
    }
    default:
      // A type of a later version of Kubernetes.
      return undefined;
  }
}

/** The only cast at the wire: the API server validates its objects against their schemas before it stores them. */
function decode<Type>(body: unknown): Type {
  return body as Type;
}

/** One typed client for each kind of object that Tearsheet reads or writes. */
export function createResourceClients(api: ApiServer, namespace: string): ResourceClients {
  const namespaced = (group: string, resource: string) => `${group}/namespaces/${namespace}/${resource}`;
  return {
    screenshotJobs: createResourceClient(api, namespaced(`/apis/${GROUP}/${VERSION}`, 'screenshotjobs')),
    jobs: createResourceClient(api, namespaced('/apis/batch/v1', 'jobs')),
    pods: createResourceClient(api, namespaced('/api/v1', 'pods')),
    events: createResourceClient(api, namespaced('/api/v1', 'events')),
    leases: createResourceClient(api, namespaced('/apis/coordination.k8s.io/v1', 'leases')),
    configMaps: createResourceClient(api, namespaced('/api/v1', 'configmaps')),
    nodes: createResourceClient(api, '/api/v1/nodes'),
    tokenReviews: createResourceClient(api, '/apis/authentication.k8s.io/v1/tokenreviews'),
  };
}
