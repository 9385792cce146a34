import { expect } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { Installation } from './installation.ts';

interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly status: { readonly phase: string };
}

/** A quota that what runs now uses up. @returns lifts it. */
export async function fillQuota(installation: Installation): Promise<() => Promise<unknown>> {
  // What is about to end would leave room.
  const pods = await eventually(async () => {
    const found = await installation.list<Pod>('pods');
    expect(
      found.filter(({ metadata, status }) => metadata.deletionTimestamp !== undefined || status.phase !== 'Running'),
    ).toEqual([]);
    return found;
  }, 60_000);
  await installation.kubectl(['create', 'quota', 'full', `--hard=pods=${pods.length}`]);
  return () => installation.kubectl(['delete', 'quota', 'full', '--ignore-not-found']);
}
