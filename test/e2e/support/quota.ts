import { expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { HelmInstallation } from './helmInstallation.ts';

interface Pod {
  readonly metadata: { readonly deletionTimestamp?: string; readonly labels?: Record<string, string> };
  readonly status: { readonly phase: string };
}

/** Pods that are about to end and would free quota. */
const isEnding = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined ||
  status.phase !== 'Running' ||
  metadata.labels?.['app.kubernetes.io/component'] === 'capture';

/** Creates a quota that the running pods use up. @returns a function that deletes it. */
export async function fillQuota(installation: HelmInstallation): Promise<() => Promise<unknown>> {
  const pods = await eventually(async () => {
    const found = await installation.list<Pod>('pods');
    expect(found.filter(isEnding)).toEqual([]);
    return found;
  });
  await installation.kubectl(['create', 'quota', 'full', `--hard=pods=${pods.length}`]);
  return () => installation.kubectl(['delete', 'quota', 'full', '--ignore-not-found']);
}
