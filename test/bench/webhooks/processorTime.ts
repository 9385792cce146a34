/** Processor seconds of processes, with those of their children that have ended. Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_A_SECOND = 100;

/** @returns the processor seconds of the process and of its children. */
export function processorSeconds(pid: number): number {
  const parents = new Map(processIds().map((id) => [id, statusOf(id)] as const));
  let ticks = 0;
  for (const [id, status] of parents) if (id === pid || status?.parent === pid) ticks += status?.ticks ?? 0;
  return ticks / TICKS_A_SECOND;
}

const processIds = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** @returns undefined if the process has ended. */
function statusOf(pid: number): { readonly parent: number; readonly ticks: number } | undefined {
  try {
    // The process name is in brackets and may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { parent: Number(fields[1]), ticks };
  } catch {
    return undefined;
  }
}
