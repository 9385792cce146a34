import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

/** The account PostgreSQL runs as; it refuses to run as root. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** Where things of this machine are kept that another account must reach, when its own folder may not be entered. */
const SHARED_ROOT = '/var/lib/tearsheet';

/** @returns undefined when this process is not root: the server then runs as the same account. */
export function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = [idOf('-u', name), idOf('-g', name)];
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error(
    'PostgreSQL does not run as root, and this machine has neither a user "postgres" nor "nobody": create one, or set DATABASE_URL.',
  );
}

function idOf(flag: '-u' | '-g', name: string): number | undefined {
  try {
    return Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return undefined; // `id` exits with 1 for an account that does not exist.
  }
}

/** Whether that account can enter a folder: every folder above it, and itself, must be open to it. */
export function canEnter(folder: string, user: ServerUser): boolean {
  const full = path.resolve(folder);
  for (let current = full; ; current = path.dirname(current)) {
    if (existsSync(current) && !mayTraverse(current, user)) return false;
    if (current === path.dirname(current)) return true;
  }
}

function mayTraverse(folder: string, { uid, gid }: ServerUser): boolean {
  const stat = statSync(folder);
  const bit = stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001;
  return (stat.mode & bit) !== 0;
}

/** A folder under {@link SHARED_ROOT}, made and open to everybody's passage. */
export function sharedFolder(name: string): string {
  mkdirSync(SHARED_ROOT, { recursive: true, mode: 0o755 });
  chmodSync(SHARED_ROOT, 0o755);
  return path.join(SHARED_ROOT, name);
}

/** The folder itself where the account can enter it, else a copy that it can. Copied once; a half-made copy is never used. */
export function reachableCopy(folder: string, { name, user }: { name: string; user: ServerUser }): string {
  if (canEnter(folder, user)) return folder;
  const copy = sharedFolder(name);
  if (existsSync(copy)) return copy;
  const partial = `${copy}.${process.pid}`;
  cpSync(folder, partial, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(partial, copy);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    if (!existsSync(copy)) throw error; // Somebody else's copy is as good.
  }
  return copy;
}

/** Makes a folder that belongs to the account, mode 0700. */
export function ownedFolder(folder: string, user: ServerUser | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
}

/** Writes a file that only the account (and root) can read. */
export function ownedFile(file: string, { content, user }: { content: string; user: ServerUser | undefined }): void {
  writeFileSync(file, content, { mode: 0o600 });
  if (user !== undefined) chownSync(file, user.uid, user.gid);
}
