/** The processes of a run, found by its folder in their command line or environment. */
import { readdirSync } from 'node:fs';
import { parentOf } from '../../integration/capture/page/browserProcesses.ts';
import { readProc } from '../../integration/dev/serviceFolders.ts';

export type ProcessKind = 'api' | 'controller' | 'capture' | 'browser' | 'renderer' | 'postgres' | 's3' | 'other';

export interface FoundProcess {
  readonly pid: number;
  readonly kind: ProcessKind;
  readonly command: string;
}

/** Looks at all processes. */
export function findProcesses(root: string): FoundProcess[] {
  return new ProcessSearch().find(root);
}

/** Looks again and again, and reads each process outside of the run only once. */
export class ProcessSearch {
  readonly #others = new Set<string>([String(process.pid)]);

  find(root: string): FoundProcess[] {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !this.#others.has(name));
    const ours = new Set<number>();
    return pids
      .toSorted((one, two) => Number(one) - Number(two))
      .flatMap((name) => {
        const pid = Number(name);
        const command = readProc(pid, 'cmdline').replaceAll('\0', ' ').trim();
        const isNamed = command.includes(root) || readProc(pid, 'environ').includes(root);
        // A renderer overwrites its environment.
        // A process that starts or ends has no command line at that moment.
        if (command === '') return [];
        if (!(isNamed || ours.has(parentOf(pid)))) {
          this.#others.add(name);
          return [];
        }
        ours.add(pid);
        return [{ pid, kind: kindOf(command), command }];
      });
  }
}

/** @param command the command line, with spaces between its arguments. */
export function kindOf(command: string): ProcessKind {
  if (/(cli\.(ts|js)|tearsheet) api$/.test(command)) return 'api';
  if (/(cli\.(ts|js)|tearsheet) controller$/.test(command)) return 'controller';
  if (/(cli\.(ts|js)|tearsheet) capture$/.test(command)) return 'capture';
  if (/bin\/postgres |^postgres:/.test(command)) return 'postgres';
  if (/versitygw/.test(command)) return 's3';
  if (/--type=renderer/.test(command)) return 'renderer';
  // Only a browser's main process has no --type.
  return /--remote-debugging-pipe/.test(command) && !/--type=/.test(command) ? 'browser' : 'other';
}
