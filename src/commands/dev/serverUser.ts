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

/** The account that runs PostgreSQL, because PostgreSQL refuses to run as root. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** The folder for files that another account must reach if it cannot enter their own folder. */
const SHARED_ROOT = '/var/lib/tearsheet';

/** @returns undefined if this process is not root; the server then runs as the same account. */
export function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = [idOf('-u', name), idOf('-g', name)];
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error(
    'PostgreSQL cannot run as root, and this machine has no user "postgres" or "nobody". Create one, or set DATABASE_URL.',
  );
}

function idOf(flag: '-u' | '-g', name: string): number | undefined {
  try {
    return Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return undefined; // `id` exits with 1 for an account that does not exist.
  }
}

/** @returns whether the account may enter the folder and all folders above it. */
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

/** @returns a path under {@link SHARED_ROOT}, which is created so that every account can enter it. */
export function sharedFolder(name: string): string {
  mkdirSync(SHARED_ROOT, { recursive: true, mode: 0o755 });
  chmodSync(SHARED_ROOT, 0o755);
  return path.join(SHARED_ROOT, name);
}

/** @returns the folder if the account can enter it, else a copy. It is copied once; an incomplete copy is never used. */
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
    if (!existsSync(copy)) throw error; // Another process has made the same copy.
  }
  return copy;
}

/** Creates a folder that the account owns, with mode 0700. */
export function ownedFolder(folder: string, user: ServerUser | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
}

/** Writes a file that only the account and root can read. */
export function ownedFile(file: string, { content, user }: { content: string; user: ServerUser | undefined }): void {
  writeFileSync(file, content, { mode: 0o600 });
  if (user !== undefined) chownSync(file, user.uid, user.gid);
}
