/** Reads the memory limit and use of the container from its control group, version 2 or 1. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export interface ContainerMemory {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

const CGROUP_FOLDER = '/sys/fs/cgroup';

const VERSIONS = [
  { limit: 'memory.max', used: 'memory.current', stat: 'memory.stat', reclaimable: ['inactive_file', 'active_file'] },
  {
    limit: 'memory/memory.limit_in_bytes',
    used: 'memory/memory.usage_in_bytes',
    stat: 'memory/memory.stat',
    reclaimable: ['total_inactive_file', 'total_active_file'],
  },
];
/** In version 1, a very large limit means that there is none. */
const NO_LIMIT = 2 ** 60;

/** File pages do not count, because the kernel reclaims them before it kills a process. @returns undefined if there is no limit. */
export async function readContainerMemory(folder: string = CGROUP_FOLDER): Promise<ContainerMemory | undefined> {
  const read = (name: string) => readFile(path.join(folder, name), 'utf8').catch(() => '');
  for (const version of VERSIONS) {
    const limitBytes = numberOf(await read(version.limit));
    if (limitBytes === undefined || limitBytes >= NO_LIMIT) continue;
    const [used, stat] = await Promise.all([read(version.used), read(version.stat)]);
    const usedBytes = numberOf(used);
    if (usedBytes === undefined) continue;
    const reclaimable = version.reclaimable.reduce((sum, name) => sum + statOf(stat, name), 0);
    return { usedBytes: Math.max(0, usedBytes - reclaimable), limitBytes };
  }
  return undefined;
}

function numberOf(text: string): number | undefined {
  return /^\d+$/.test(text.trim()) ? Number(text) : undefined;
}

function statOf(stat: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0);
}
