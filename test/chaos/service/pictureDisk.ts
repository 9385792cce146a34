/** The disk of the pictures: a small file system of its own if this process is root, so that a fault can fill it. */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

export interface PictureDisk {
  readonly folder: string;
  /** Undefined if the folder has no file system of its own. Fills the disk; the returned function frees it. */
  readonly fill: (() => () => void) | undefined;
  /** Unmounts the file system. */
  remove(): Promise<void>;
}

const run = promisify(execFile);
const SIZE = '256m';

export async function preparePictureDisk(mount: string): Promise<PictureDisk> {
  mkdirSync(mount);
  const folder = path.join(mount, 'files');
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', mount]).then(
    () => true,
    (error: unknown) => {
      console.warn('No disk is filled in this run, because no file system could be mounted:', error);
      return false;
    },
  );
  mkdirSync(folder);
  if (!mounted) return { folder, fill: undefined, remove: async () => undefined };
  return {
    folder,
    fill: () => fill(mount),
    remove: async () => {
      await run('umount', ['--lazy', mount]);
    },
  };
}

function fill(mount: string): () => void {
  const { bavail, bsize } = statfsSync(mount);
  const file = path.join(mount, 'ballast');
  const free = () => rmSync(file, { force: true });
  try {
    writeFileSync(file, Buffer.alloc(bavail * bsize));
  } catch (error) {
    // The service may have taken the last bytes first.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) {
      free();
      throw error;
    }
  }
  return free;
}
