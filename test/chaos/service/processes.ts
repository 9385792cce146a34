/** The processes of a run, found by its folder in their command line or environment. */
import { readdirSync } from 'node:fs';
import { readProc } from '../../integration/dev/serviceFolders.ts';

export type ProcessKind = 'api' | 'controller' | 'capture' | 'browser' | 'renderer' | 'postgres' | 's3' | 'other';

export interface FoundProcess {
  readonly pid: number;
  readonly kind: ProcessKind;
  readonly command: string;
}

export function findProcesses(root: string): FoundProcess[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.flatMap((name) => {
    const command = readProc(name, 'cmdline').replaceAll('\0', ' ').trim();
    const isOurs = command.includes(root) || readProc(name, 'environ').includes(root);
    return command !== '' && isOurs ? [{ pid: Number(name), kind: kindOf(command), command }] : [];
  });
}

function kindOf(command: string): ProcessKind {
  if (/cli\.(ts|js) api$/.test(command)) return 'api';
  if (/cli\.(ts|js) controller$/.test(command)) return 'controller';
  if (/cli\.(ts|js) capture$/.test(command)) return 'capture';
  if (/bin\/postgres |^postgres:/.test(command)) return 'postgres';
  if (/versitygw/.test(command)) return 's3';
  if (/--type=renderer/.test(command)) return 'renderer';
  // Only a browser's main process has no --type.
  return /--remote-debugging-pipe/.test(command) && !/--type=/.test(command) ? 'browser' : 'other';
}
