/** Digests of the source that the long tests of `make verify` guard, and the record of the last successful run. */
import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The long tests run these parts. A folder stands for all its files. */
export const GUARDED = [
  'src/artifacts',
  'src/cluster',
  'src/commands',
  'src/contract',
  'src/controller',
  'src/delivery',
  'src/domain',
  'src/egress',
  'src/lib',
  'src/queue',
  'src/store',
  'src/workflow',
  'charts/tearsheet',
  'crds',
  'test/e2e/alone',
  'test/matrix',
  'test/support',
  'package-lock.json',
] as const;

/** Inside test/matrix, and not part of its digest. */
export const RECORD = 'test/matrix/verified';

/** @returns one line `SHA-256  PART` for each guarded part that exists in `root`, in the order of GUARDED. */
export function digestGuardedFiles(root: string, parts: readonly string[] = GUARDED): string[] {
  return parts.map((part) => `${digestPart(root, part)}  ${part}`);
}

/** @returns the parts whose digest differs from the record; all parts when there is no record. */
export function changedParts(root: string, parts: readonly string[] = GUARDED): string[] {
  const recorded = new Set(readRecord(root));
  return digestGuardedFiles(root, parts)
    .filter((line) => !recorded.has(line))
    .map((line) => line.slice(line.indexOf('  ') + 2));
}

export function writeRecord(root: string, lines: readonly string[]): void {
  writeFileSync(path.join(root, RECORD), `${lines.join('\n')}\n`);
}

function readRecord(root: string): string[] {
  try {
    return readFileSync(path.join(root, RECORD), 'utf8').split('\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Covers each file's path and content, so that a rename changes the digest too. */
function digestPart(root: string, part: string): string {
  const digest = createHash('sha256');
  const files = statSync(path.join(root, part)).isDirectory()
    ? globSync(`${part}/**`, { cwd: root }).filter((file) => statSync(path.join(root, file)).isFile())
    : [part];
  for (const file of files.map((each) => each.replaceAll(path.sep, '/')).sort()) {
    if (file === RECORD) continue;
    const content = createHash('sha256')
      .update(readFileSync(path.join(root, file)))
      .digest('hex');
    digest.update(`${file} ${content}\n`);
  }
  return digest.digest('hex');
}
