/**
 * Ends a browser before the kernel ends the container. If the container runs out of memory, all its processes die: the work on
 * other creatives and pages is lost, and nothing shows which one was the cause.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../../lib/log.ts';
import { sleptFully } from '../../lib/sleep.ts';

interface ContainerMemory {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/** The control group of the container. */
export const CGROUP_FOLDER = '/sys/fs/cgroup';

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

/** A browser that is working. */
export interface MemoryConsumer {
  readonly kind: 'creative' | 'page';
  readonly processGroup: number;
  /** Ends the browser. @param reason becomes the reason of the failed creative or page. */
  end(reason: string): void;
}

export interface WatchdogOptions {
  readonly consumers: () => readonly MemoryConsumer[];
  readonly log: Log;
  /** The folder of the container's control group. */
  readonly cgroupFolder?: string | undefined;
  readonly everyMs?: number;
  readonly readMemory?: () => Promise<ReadonlyMap<number, number>>;
}

const CHECK_INTERVAL_MS = 250;
/** The share of the limit at which the watchdog ends a browser. */
const MAX_SHARE = 0.85;
/** The time that the kernel may take to free the memory of an ended browser. */
const PAUSE_AFTER_END_MS = 1_000;

/** Checks the memory until `signal` aborts. Ends at once if the container has no memory limit. */
export async function watchMemory(options: WatchdogOptions, signal: AbortSignal): Promise<void> {
  const { cgroupFolder, everyMs = CHECK_INTERVAL_MS } = options;
  if ((await readContainerMemory(cgroupFolder)) === undefined) return;
  let pause = 0;
  while (await sleptFully(pause, signal)) {
    pause = everyMs;
    const memory = await readContainerMemory(cgroupFolder);
    if (memory === undefined) continue;
    const isFull = memory.usedBytes >= MAX_SHARE * memory.limitBytes;
    if (isFull && (await endLargestBrowser(memory, options))) pause = PAUSE_AFTER_END_MS;
  }
}

/** Ends the browser that uses the most memory; if that is unknown, a creative's before a page's. @returns whether one was ended. */
async function endLargestBrowser(
  memory: ContainerMemory,
  { consumers, log, readMemory = memoryOfGroups }: WatchdogOptions,
) {
  const [first, ...others] = [...consumers()].sort((a, b) => Number(a.kind === 'page') - Number(b.kind === 'page'));
  if (first === undefined) return false;
  const weights = others.length === 0 ? new Map<number, number>() : await readMemory();
  const weightOf = ({ processGroup }: MemoryConsumer) => weights.get(processGroup) ?? 0;
  const heaviest = others.reduce((a, b) => (weightOf(b) > weightOf(a) ? b : a), first);
  const { used_mib, limit_mib } = inMebibytes(memory);
  log.warn(
    { used_mib, limit_mib, of: heaviest.kind },
    'ended a browser because the memory of the capture is nearly used up',
  );
  heaviest.end(`Too heavy: with this ${heaviest.kind} the capture used ${used_mib} of its ${limit_mib} MiB of memory.`);
  return true;
}

function inMebibytes({ usedBytes, limitBytes }: ContainerMemory) {
  return { used_mib: Math.round(usedBytes / 2 ** 20), limit_mib: Math.round(limitBytes / 2 ** 20) };
}

const PAGE_BYTES = 4_096;

/** @returns the unshared memory of each process group, in bytes. Unreadable processes count as 0. */
export async function memoryOfGroups(): Promise<Map<number, number>> {
  const groups = new Map<number, number>();
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  await Promise.all(
    pids.map(async (pid) => {
      const read = (name: string) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '');
      const [stat, statm] = await Promise.all([read('stat'), read('statm')]);
      // The process name in parentheses may contain any character, so fields count from the last parenthesis.
      const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
      const [, resident = 0, shared = 0] = statm.split(' ').map(Number);
      if (group > 0) groups.set(group, (groups.get(group) ?? 0) + (resident - shared) * PAGE_BYTES);
    }),
  );
  return groups;
}

/**
 * Reads the control group of the container, version 2 or 1. File pages do not count, because the kernel reclaims them before it
 * kills a process.
 * @returns undefined if there is no limit.
 */
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
