/** The processes of a release's pods. The node of test/cluster is this machine, so they are in its process table. */
import { readdirSync } from 'node:fs';
import type { HelmInstallation } from '../../e2e/support/helmInstallation.ts';
import { readProc } from '../../integration/dev/serviceFolders.ts';
import { kindOf, type ProcessKind } from '../service/processes.ts';

export interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status: { readonly phase: string };
}

export interface PodProcess {
  readonly pid: number;
  readonly kind: ProcessKind;
  readonly pod: string;
}

export type Component = 'api' | 'controller' | 'capture';

export const podsOf = (release: HelmInstallation, component: Component): Promise<Pod[]> =>
  release.list<Pod>('pods', `app.kubernetes.io/component=${component}`);

/** Finds them by the id of the pod in the name of their control group. */
export function processesOf(pods: readonly Pod[]): PodProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const pid = Number(name);
      const group = readProc(pid, 'cgroup').replaceAll('_', '-');
      const pod = pods.find(({ metadata }) => group.includes(metadata.uid));
      const command = readProc(pid, 'cmdline').replaceAll('\0', ' ').trim();
      return pod === undefined || command === '' ? [] : [{ pid, kind: kindOf(command), pod: pod.metadata.name }];
    });
}
