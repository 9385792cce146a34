/** Names by which Tearsheet creates its objects and finds them again. */
import type { RequestContext } from '@kubernetes/client-node';

export const GROUP = 'tearsheet.dev';
export const VERSION = 'v1alpha1';

export const LABEL = {
  name: 'app.kubernetes.io/name',
  component: 'app.kubernetes.io/component',
  installation: 'tearsheet.dev/installation',
  organization: 'tearsheet.dev/organization',
  screenshotJob: 'tearsheet.dev/screenshotjob',
} as const;

/** Kueue admits the Jobs that have this label. */
export const QUEUE_LABEL = 'kueue.x-k8s.io/queue-name';
/** Kueue orders the Jobs of a queue by the class that this label names. */
export const QUEUE_PRIORITY_LABEL = 'kueue.x-k8s.io/priority-class';
/** The controller sets this annotation before it deletes a ScreenshotJob. Such a deletion does not cancel the set. */
export const REMOVED_BY = 'tearsheet.dev/removed-by';
/** Hash of the capture profile with which a Job was created. */
export const PROFILE_HASH = 'tearsheet.dev/profile';
/** The span that created a ScreenshotJob, as a W3C `traceparent`. */
export const TRACEPARENT = 'tearsheet.dev/traceparent';
/** Holds a deleted ScreenshotJob until its result is in PostgreSQL. */
export const FINALIZER = 'tearsheet.dev/settle';
export const CONTROLLER = 'tearsheet-controller';
/** Name of the container in the pod of a capture. */
export const CONTAINER = 'capture';

/** Names a request in messages and metrics. */
export interface RequestName {
  readonly verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';
  readonly path: string;
}

const VERB = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' } as const;

export function requestName(request: Pick<RequestContext, 'getUrl' | 'getHttpMethod'>): RequestName {
  const { pathname: path, searchParams } = new URL(request.getUrl());
  const method = request.getHttpMethod();
  if (method === 'POST' || method === 'PUT' || method === 'PATCH' || method === 'DELETE')
    return { verb: VERB[method], path };
  if (searchParams.get('watch') === 'true') return { verb: 'watch', path };
  return { verb: partsOf(path).length > 1 ? 'get' : 'list', path };
}

/** @returns a path without the names in it, for metrics: `jobs`, `screenshotjobs/status`. */
export function resourceOf(path: string): string {
  const [resource = '', , part] = partsOf(path);
  return part === undefined ? resource : `${resource}/${part}`;
}

/** @returns the resource, the name of the object and the subresource, as far as the path has them. */
function partsOf(path: string): string[] {
  const parts = path.split('/').slice(path.startsWith('/apis/') ? 4 : 3);
  return parts[0] === 'namespaces' ? parts.slice(2) : parts;
}
