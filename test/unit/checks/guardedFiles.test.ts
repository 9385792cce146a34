import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changedParts, digestGuardedFiles, GUARDED, RECORD, writeRecord } from '../../../scripts/guardedFiles.ts';

const REPOSITORY = path.join(import.meta.dirname, '../../..');
const PARTS = ['src/store', 'test/matrix', 'package-lock.json'];
let root: string;

const write = (file: string, content: string) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), content);
};

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'tearsheet-guarded-'));
  write('src/store/a.ts', 'a');
  write('src/store/sql/b.ts', 'b');
  write('test/matrix/c.test.ts', 'c');
  write('package-lock.json', '{}');
  writeRecord(root, digestGuardedFiles(root, PARTS));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

test('no part has changed right after the record was written', () => {
  expect(changedParts(root, PARTS)).toEqual([]);
});

test.each([
  ['changed', () => write('src/store/sql/b.ts', 'changed')],
  ['added', () => write('src/store/new.ts', '')],
  ['removed', () => rmSync(path.join(root, 'src/store/a.ts'))],
  ['renamed', () => renameSync(path.join(root, 'src/store/a.ts'), path.join(root, 'src/store/z.ts'))],
])('a part is reported when one of its files is %s', (_how, change) => {
  change();
  expect(changedParts(root, PARTS)).toEqual(['src/store']);
});

test('every part is reported when there is no record', () => {
  rmSync(path.join(root, RECORD));
  expect(changedParts(root, PARTS)).toEqual(PARTS);
});

test('every guarded part exists in this repository', () => {
  expect(digestGuardedFiles(REPOSITORY)).toHaveLength(GUARDED.length);
});
