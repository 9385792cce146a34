/**
 * Ends a browser before the kernel ends the container. On an OOM every process of a container dies, and with it what other creatives and pages
 * had got so far; nobody would know whose fault it was.
 */

import { CancelableTimer } from '../../lib/cancelableTimer.ts';
import type { Log } from '../../lib/log.ts';
import { type ContainerMemory, readContainerMemory } from './containerMemory.ts';
import { memoryOfGroups } from './processGroups.ts';

/** A browser that is at work. */
export interface MemoryConsumer {
  readonly kind: 'creative' | 'page';
  /** Its process group; undefined while it is not known. */
  readonly processGroup: number | undefined;
  /** Ends it. @param words what its work is told: how much memory there was. */
  end(words: string): void;
}

export interface WatchdogOptions {
  readonly consumers: () => readonly MemoryConsumer[];
  readonly log: Log;
  /** Of the container's control group. */
  readonly cgroupFolder?: string | undefined;
  readonly everyMs?: number;
  readonly readMemory?: () => Promise<ReadonlyMap<number, number>>;
}

export interface Watchdog {
  /** Resolves when it has ended; at once where nothing bounds memory. */
  readonly ended: Promise<void>;
  close(): void;
}

const EVERY_MS = 250;
const SHARE = 0.85;
/** Until the memory of what was killed is free again. */
const RESPITE_MS = 1_000;

export function startMemoryWatchdog(options: WatchdogOptions): Watchdog {
  const timer = new CancelableTimer();
  return { ended: run(options, timer), close: () => timer.cancel() };
}

async function run(options: WatchdogOptions, timer: CancelableTimer): Promise<void> {
  const { cgroupFolder, everyMs = EVERY_MS } = options;
  if ((await readContainerMemory(cgroupFolder)) === undefined) return;
  let pause = 0;
  while (await timer.wait(pause)) {
    pause = everyMs;
    const memory = await readContainerMemory(cgroupFolder);
    if (memory === undefined) continue;
    const isFull = memory.usedBytes >= SHARE * memory.limitBytes;
    if (isFull && (await endLargestBrowser(memory, options))) pause = RESPITE_MS;
  }
}

/** Ends the browser that holds the most; a creative's rather than a page's where that cannot be told. @returns whether there was one. */
async function endLargestBrowser(
  memory: ContainerMemory,
  { consumers, log, readMemory = memoryOfGroups }: WatchdogOptions,
) {
  const [first, ...others] = [...consumers()].sort((a, b) => Number(a.kind === 'page') - Number(b.kind === 'page'));
  if (first === undefined) return false;
  const weights = others.length === 0 ? new Map<number, number>() : await readMemory();
  const weightOf = ({ processGroup }: MemoryConsumer) => weights.get(processGroup ?? 0) ?? 0;
  const heaviest = others.reduce((a, b) => (weightOf(b) > weightOf(a) ? b : a), first);
  const { used_mib, limit_mib } = inMebibytes(memory);
  log.warn({ used_mib, limit_mib, of: heaviest.kind }, 'a browser was ended before memory was used up');
  heaviest.end(`Too heavy: with this ${heaviest.kind} the capture used ${used_mib} of its ${limit_mib} MiB of memory.`);
  return true;
}

function inMebibytes({ usedBytes, limitBytes }: ContainerMemory) {
  return { used_mib: Math.round(usedBytes / 2 ** 20), limit_mib: Math.round(limitBytes / 2 ** 20) };
}
