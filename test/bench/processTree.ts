import { readdirSync, readFileSync } from 'node:fs';

const TICKS_A_SECOND = 100;
const SAMPLE_MS = 50;

/** Samples the processor time of a process and of all that it started, also of those that have ended. Linux only. */
export class ProcessTreeMeter {
  readonly #root: number;
  /** By process id and start time, because ids are used again. */
  readonly #seconds = new Map<string, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(root: number) {
    this.#root = root;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  /** @returns processor seconds so far. The last 50 ms of each process are missing. */
  cpuSeconds(): number {
    this.#sample();
    return [...this.#seconds.values()].reduce((sum, seconds) => sum + seconds, 0);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name)) ?? []) : []));
    // A process whose parent has ended belongs to the tree if it was seen in it before.
    const members = new Set(all.filter(({ key }) => this.#seconds.has(key)).map(({ pid }) => pid)).add(this.#root);
    for (let grown = true; grown; ) {
      const children = all.filter(({ pid, parent }) => members.has(parent) && !members.has(pid));
      for (const { pid } of children) members.add(pid);
      grown = children.length > 0;
    }
    for (const { pid, key, seconds } of all) if (members.has(pid)) this.#seconds.set(key, seconds);
  }
}

/** @returns undefined if the process has ended. */
function readStat(pid: number) {
  try {
    // The process name is in brackets and may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const seconds = (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
    return { pid, parent: Number(fields[1]), key: `${pid} ${fields[19]}`, seconds };
  } catch {
    return undefined;
  }
}
