import { buildTool, type Ended, runTool } from '../../../scripts/tools.ts';
import type { ScreenshotJobSpec } from '../../../src/contract/screenshotJob.ts';
import { type TestNamespace, testNamespace } from '../../support/cluster.ts';

export const SPEC: ScreenshotJobSpec = {
  organization: 'acme',
  set: '9f4c2a1e-0b7d-4c3e-8f5a-6d7e8f9a0b1c',
  job: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed',
  ads: 2,
  batches: 3,
  screenshots: 12,
  parallelism: 3,
  retries: 3,
  deadlines: { schedulingSeconds: 900, captureSeconds: 600 },
  ttlSecondsAfterFinished: 3_600,
};

export interface ScreenshotJobs {
  /** kubectl in the test's own namespace. */
  kubectl(...args: string[]): Promise<Ended>;
  create(name: string, spec?: object): Promise<Ended>;
  /** A JSON merge patch of the object, or of its status. */
  patch(name: string, change: object, subresource?: 'status'): Promise<Ended>;
  remove(): Promise<void>;
}

export async function screenshotJobs(): Promise<ScreenshotJobs> {
  const namespace: TestNamespace = await testNamespace('crd');
  const program = await buildTool('kubectl');
  const own = ['--kubeconfig', namespace.kubeconfig, '--namespace', namespace.name];
  const kubectl = (...args: string[]) => runTool(program, [...own, ...args]);
  return {
    kubectl,
    create: (name, spec = SPEC) => {
      const object = { apiVersion: 'tearsheet.dev/v1alpha1', kind: 'ScreenshotJob', metadata: { name }, spec };
      return runTool(program, [...own, 'create', '-f', '-'], { input: JSON.stringify(object) });
    },
    patch: (name, change, subresource) => {
      const where = subresource === undefined ? [] : [`--subresource=${subresource}`];
      return kubectl('patch', 'shot', name, '--type=merge', ...where, `--patch=${JSON.stringify(change)}`);
    },
    remove: () => namespace.remove(),
  };
}
