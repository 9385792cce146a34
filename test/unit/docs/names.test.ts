import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../../..');
const NAMING = [
  'Dockerfile',
  'Makefile',
  '*.md',
  'docs/**',
  'src/**',
  'scripts/**',
  'charts/**',
  'examples/*',
  'crds/*',
];

test('each page of docs/ that a file names exists', () => {
  const files = globSync(NAMING, { cwd: ROOT }).filter((file) => statSync(path.join(ROOT, file)).isFile());
  expect(files.length).toBeGreaterThan(500);
  const missing = files.flatMap((file) => {
    const named = readFileSync(path.join(ROOT, file), 'utf8').match(/\bdocs\/[a-z0-9/-]+\.md\b/g) ?? [];
    return named.filter((page) => !existsSync(path.join(ROOT, page))).map((page) => `${file} names ${page}`);
  });
  expect(missing).toEqual([]);
});
