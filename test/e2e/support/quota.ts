import { expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { Installation } from './installation.ts';

interface Pod {
  readonly metadata: { readonly deletionTimestamp?: string; readonly labels?: Record<string, string> };
  readonly status: { readonly phase: string };
}

/** What is about to end, and would leave room. */
const isEnding = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined ||
  status.phase !== 'Running' ||
  metadata.labels?.['app.kubernetes.io/component'] === 'capture';

/** A quota that what runs now uses up. @returns lifts it. */
export async function fillQuota(installation: Installation): Promise<() => Promise<unknown>> {
  const pods = await eventually(async () => {
    const found = await installation.list<Pod>('pods');
    expect(found.filter(isEnding)).toEqual([]);
    return found;
  }, 60_000);
  await installation.kubectl(['create', 'quota', 'full', `--hard=pods=${pods.length}`]);
  return () => installation.kubectl(['delete', 'quota', 'full', '--ignore-not-found']);
}
