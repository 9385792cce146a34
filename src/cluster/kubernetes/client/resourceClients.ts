/** One typed client for each kind of object that Tearsheet reads or writes. */
import type {
  CoreV1Event,
  V1ConfigMap,
  V1Job,
  V1Lease,
  V1Node,
  V1ObjectMeta,
  V1Pod,
  V1TokenReview,
} from '@kubernetes/client-node';
import type { ApiServer } from './apiServer.ts';
import { GROUP, VERSION } from './names.ts';
import { createResourceClient, type ResourceClient } from './resourceClient.ts';

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
