/** Measures the processor time of the capture's container, which includes all browsers. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CGROUP_FOLDER } from '../memory/watchdog.ts';

export interface ProcessorMeter {
  /** @returns the seconds since the last call, the first time since the container's start; undefined if nothing counts them. */
  take(): Promise<number | undefined>;
}

/** Only for a container of its own: elsewhere the control group counts other processes too. */
export function createProcessorMeter(folder: string = CGROUP_FOLDER): ProcessorMeter {
  let taken = 0;
  return {
    async take() {
      const used = await readProcessorSeconds(folder);
      if (used === undefined) return undefined;
      const seconds = Math.max(0, used - taken);
      taken = used;
      return seconds;
    },
  };
}

/** Reads version 2 of the control group, else version 1. */
async function readProcessorSeconds(folder: string): Promise<number | undefined> {
  const read = (name: string) => readFile(path.join(folder, name), 'utf8').catch(() => '');
  const microseconds = /^usage_usec (\d+)$/m.exec(await read('cpu.stat'))?.[1];
  if (microseconds !== undefined) return Number(microseconds) / 1e6;
  const nanoseconds = (await read('cpuacct/cpuacct.usage')).trim();
  return /^\d+$/.test(nanoseconds) ? Number(nanoseconds) / 1e9 : undefined;
}
