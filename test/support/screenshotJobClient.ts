/** Reads and changes ScreenshotJobs as an operator does with kubectl. */
import { CustomObjectsApi } from '@kubernetes/client-node';
import type { TestNamespace } from './cluster.ts';

/** The parts of `kubectl get -o json` that tests read. */
export interface ScreenshotJobResource {
  readonly status: Record<string, unknown>;
  readonly metadata: Record<string, unknown>;
  readonly spec: Record<string, unknown>;
}

export interface ScreenshotJobClient {
  read(name: string): Promise<ScreenshotJobResource>;
  /** Sets spec.cancel. */
  cancel(name: string): Promise<void>;
  delete(name: string): Promise<void>;
  removeLabel(name: string, label: string): Promise<void>;
}

export function screenshotJobClient({ config, name: namespace }: TestNamespace): ScreenshotJobClient {
  const api = config.makeApiClient(CustomObjectsApi);
  const kind = { group: 'tearsheet.dev', version: 'v1alpha1', plural: 'screenshotjobs', namespace };
  const patch = async (name: string, operation: object) => {
    await api.patchNamespacedCustomObject({ ...kind, name, body: [operation] });
  };
  return {
    read: (name) => api.getNamespacedCustomObject({ ...kind, name }),
    cancel: (name) => patch(name, { op: 'add', path: '/spec/cancel', value: true }),
    async delete(name) {
      await api.deleteNamespacedCustomObject({ ...kind, name });
    },
    removeLabel: (name, label) =>
      patch(name, { op: 'remove', path: `/metadata/labels/${label.replaceAll('/', '~1')}` }),
  };
}
