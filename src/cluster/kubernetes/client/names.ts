/** The names under which our objects are made and found again. */

export const GROUP = 'tearsheet.dev';
export const VERSION = 'v1alpha1';

export const LABEL = {
  name: 'app.kubernetes.io/name',
  component: 'app.kubernetes.io/component',
  installation: 'tearsheet.dev/installation',
  organization: 'tearsheet.dev/organization',
  screenshotJob: 'tearsheet.dev/screenshotjob',
} as const;

/** By which Kueue knows a Job that it admits. */
export const QUEUE_LABEL = 'kueue.x-k8s.io/queue-name';
/** Set before a deletion of ours: it cancels nothing. */
export const REMOVED_BY = 'tearsheet.dev/removed-by';
/** A ScreenshotJob stays until its result is in Postgres. */
export const FINALIZER = 'tearsheet.dev/settle';
export const CONTROLLER = 'tearsheet-controller';
/** Of a capture's pod. */
export const CONTAINER = 'capture';

export interface Paths {
  readonly screenshotJobs: string;
  readonly jobs: string;
  readonly pods: string;
  readonly events: string;
}

export function pathsOf(namespace: string): Paths {
  return {
    screenshotJobs: `/apis/${GROUP}/${VERSION}/namespaces/${namespace}/screenshotjobs`,
    jobs: `/apis/batch/v1/namespaces/${namespace}/jobs`,
    pods: `/api/v1/namespaces/${namespace}/pods`,
    events: `/api/v1/namespaces/${namespace}/events`,
  };
}

export const NODES = '/api/v1/nodes';

/** `jobs`, `screenshotjobs/status`: a path without the names in it. */
export function resourceOf(path: string): string {
  const parts = path.split('/').slice(path.startsWith('/apis/') ? 4 : 3);
  const [resource = '', , part] = parts[0] === 'namespaces' ? parts.slice(2) : parts;
  return part === undefined ? resource : `${resource}/${part}`;
}
