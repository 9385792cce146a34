import { readdirSync, readFileSync } from 'node:fs';

/** Kills the browsers of pages that this process has started, as a crash ends them. */
export function killBrowsers(): void {
  const browsers = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === process.pid && commandOf(pid).includes('--remote-debugging-pipe'));
  for (const pid of browsers) kill(pid);
}

/** Kills the renderers of all browsers that this process has started: the processes that run the pages. */
export function killRenderers(): void {
  const renderers = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => commandOf(pid).includes('--type=renderer') && isDescendant(pid));
  for (const pid of renderers) kill(pid);
}

function isDescendant(pid: number): boolean {
  for (let parent = parentOf(pid); parent > 1; parent = parentOf(parent)) if (parent === process.pid) return true;
  return false;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It ended by itself.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

export function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(read(pid, 'status'))?.[1] ?? 0);
}

const commandOf = (pid: number) => read(pid, 'cmdline');

/** Any other process may end at any moment. */
function read(pid: number, file: 'status' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
