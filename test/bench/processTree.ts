/** Processor time of a process and of all that it started, also of those that have ended. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_A_SECOND = 100;
const SAMPLE_MS = 50;

interface SeenProcess {
  readonly pid: number;
  readonly parent: number;
  /** Pids are used again, so the start time belongs to the identity. */
  readonly startedAt: string;
  readonly cpuSeconds: number;
}

export interface ProcessTreeMeter {
  /** Processor seconds of the tree so far. The last 50 ms of each process are missing. */
  cpuSeconds(): number;
  stop(): void;
}

export function meterProcessTree(root: number): ProcessTreeMeter {
  const known = new Map<string, { pid: number; cpuSeconds: number }>();
  const sample = () => {
    const all = readProcesses();
    const members = new Set([root]);
    // A process whose parent has ended belongs to the tree if it was seen in it before.
    for (const { pid, startedAt } of all) if (known.has(`${pid} ${startedAt}`)) members.add(pid);
    for (let grown = true; grown; ) {
      const children = all.filter(({ pid, parent }) => members.has(parent) && !members.has(pid));
      for (const { pid } of children) members.add(pid);
      grown = children.length > 0;
    }
    for (const { pid, startedAt, cpuSeconds } of all)
      if (members.has(pid)) known.set(`${pid} ${startedAt}`, { pid, cpuSeconds });
  };
  sample();
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    cpuSeconds() {
      sample();
      return [...known.values()].reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
    },
    stop: () => clearInterval(timer),
  };
}

function readProcesses(): SeenProcess[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => readProcess(Number(pid)) ?? []);
}

/** @returns undefined if the process has ended. */
function readProcess(pid: number): SeenProcess | undefined {
  try {
    // The process name is in brackets and may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const [parent = '0', utime = '0', stime = '0', startedAt = ''] = [fields[1], fields[11], fields[12], fields[19]];
    return { pid, parent: Number(parent), startedAt, cpuSeconds: (Number(utime) + Number(stime)) / TICKS_A_SECOND };
  } catch {
    return undefined;
  }
}
