/** Every file, function and page that docs/architecture.md names exists. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../../..');
const TEXT = readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8');
const FILES = globSync('{src,docs,test/fixtures}/**/*', { cwd: ROOT });
const SOURCE = FILES.filter((file) => /^src\/.*\.ts$/.test(file))
  .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
  .join('\n');

const named = (pattern: RegExp) => [...new Set([...TEXT.matchAll(pattern)].map(([, name = '']) => name))];

test('every file that is named exists', () => {
  const names = named(/`([\w./-]+\.(?:ts|sql|md))`/g);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !FILES.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
});

test('every function and setting that is named stands in the source', () => {
  const names = named(/`([a-z]+[A-Z]\w+|[A-Z]+(?:_[A-Z]+)+)`/g);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !SOURCE.includes(name))).toEqual([]);
});

test('every page that is linked exists', () => {
  const links = named(/\]\((?!https?:)([^)#]+)/g);
  expect(links.filter((link) => !FILES.includes(path.join('docs', link)) && link !== 'adr/')).toEqual([]);
});
