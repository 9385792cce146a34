/**
 * The temporary folders of captures on one machine. Each name contains the id of the process that runs the capture, so that
 * folders of a process that was killed can be found.
 */
import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'tearsheet-pod-';

/** A killed browser may still write files for a moment, so the removal is retried. */
const REMOVE_OPTIONS = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };

export function createPodFolder(): string {
  return mkdtempSync(join(tmpdir(), `${PREFIX}${process.pid}-`));
}

export function removePodFolder(folder: string): Promise<void> {
  return rm(folder, REMOVE_OPTIONS);
}

/**
 * Removes the folders that killed processes have left behind. Call it before the first capture starts.
 * @returns how many. @throws Error if one cannot be removed.
 */
export async function removeLeftPodFolders(): Promise<number> {
  const left = readdirSync(tmpdir()).filter((name) => {
    const owner = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    return owner !== undefined && !isAlive(Number(owner));
  });
  for (const name of left) await removePodFolder(join(tmpdir(), name));
  return left.length;
}

/** In a container, a restarted process often has the id of the one before it. It has no folders yet. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
