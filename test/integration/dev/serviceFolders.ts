/** The folders of one `tearsheet dev`, and the processes that run from them. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '../../support/eventually.ts';

export interface ServiceFolders {
  readonly data: string;
  /** The service's TMPDIR. Captures and browsers inherit it, so the test can recognize them. */
  readonly temporary: string;
  /** The processes that use these folders. */
  processes(): RunningProcess[];
  /** Waits until none of them runs. @throws Error with the names of those that still run. */
  expectNoProcesses(): Promise<void>;
  /** Kills remaining processes and removes the folders. */
  remove(): Promise<void>;
}

export interface RunningProcess {
  readonly pid: number;
  readonly kind: 'service' | 'capture' | 'pages browser' | 'creatives browser' | 'postgres' | 'other';
  readonly command: string;
}

export function createServiceFolders(): ServiceFolders {
  const root = mkdtempSync(path.join(tmpdir(), 'tearsheet-dev-test-'));
  // PostgreSQL runs as another account where this one is root.
  chmodSync(root, 0o755);
  const [data, temporary] = [path.join(root, 'data'), path.join(root, 'tmp')];
  mkdirSync(temporary);
  const processes = () => runningIn(root);
  return {
    data,
    temporary,
    processes,
    expectNoProcesses: () =>
      eventually(() => {
        const left = processes();
        if (left.length > 0)
          throw new Error(`Still there: ${left.map(({ kind, pid }) => `${kind} ${pid}`).join(', ')}`);
      }, 90_000),
    remove: async () => {
      await eventually(() => {
        const left = processes();
        // A process may have started others after the last look.
        for (const { pid } of left) kill(pid);
        if (left.length > 0) throw new Error('Killed processes are still there.');
      }, 90_000);
      const elsewhere = path.join(data, 'postgres');
      if (existsSync(elsewhere)) rmSync(realpathSync(elsewhere), { recursive: true, force: true, maxRetries: 5 });
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A process that has ended already is no error. */
export function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function runningIn(root: string): RunningProcess[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((name) => {
    const command = readProc(name, 'cmdline').replaceAll('\0', ' ').trim();
    const isOurs = command.includes(root) || readProc(name, 'environ').includes(root);
    return command !== '' && isOurs ? [{ pid: Number(name), kind: kindOf(command), command }] : [];
  });
}

/** Reads a file of /proc; empty when the process has ended or belongs to another user. */
export function readProc(pid: number | string, file: 'cmdline' | 'environ' | 'cgroup'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ESRCH', 'EACCES'].includes(String(error.code)))
      return '';
    throw error;
  }
}

function kindOf(command: string): RunningProcess['kind'] {
  if (/cli\.ts dev /.test(command)) return 'service';
  if (/cli\.ts capture$/.test(command)) return 'capture';
  if (/bin\/postgres |^postgres:/.test(command)) return 'postgres';
  // Only a browser's main process has no --type.
  if (/--remote-debugging-pipe/.test(command) && !/--type=/.test(command)) {
    return command.includes('--enable-begin-frame-control') ? 'creatives browser' : 'pages browser';
  }
  return 'other';
}
