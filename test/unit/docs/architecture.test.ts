/** Every file, function and page that docs/architecture.md names exists. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../../..');
const TEXT = readFileSync(path.join(ROOT, 'docs/architecture.md'), 'utf8');
const FILES = globSync('{src,docs,scripts,test}/**/*', { cwd: ROOT });
const SOURCE = FILES.filter((file) => /^src\/.*\.ts$/.test(file))
  .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
  .join('\n');

const named = (pattern: RegExp) => [...new Set([...TEXT.matchAll(pattern)].map(([, name = '']) => name))];

test('every file that docs/architecture.md names exists', () => {
  const names = named(/`([\w./-]+\.(?:ts|sql|md))`/g);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !FILES.some((file) => `/${file}`.endsWith(`/${name}`)))).toEqual([]);
});

test('every function and setting that docs/architecture.md names is in the source', () => {
  const names = named(/`([a-z]+[A-Z]\w+|[A-Z]+(?:_[A-Z]+)+)`/g);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !SOURCE.includes(name))).toEqual([]);
});

/** All files that a file of src/ imports, directly or through other files. */
function importedBy(file: string, seen = new Set<string>()): Set<string> {
  const text = readFileSync(path.join(ROOT, 'src', file), 'utf8');
  for (const [, specifier = ''] of text.matchAll(/(?:from |import\()'(\.[^']+)'/g)) {
    const target = path.join(path.dirname(file), specifier);
    if (seen.has(target)) continue;
    seen.add(target);
    importedBy(target, seen);
  }
  return seen;
}

test('each file of the main path imports the file that the path names next', () => {
  const [, section = ''] = TEXT.split('## The main path');
  const steps =
    section
      .split('\n## ')[0]
      ?.split('\n')
      .filter((line) => /^\| \d/.test(line)) ?? [];
  expect(steps).toHaveLength(10);
  const arrows = steps.flatMap((line) => [...line.matchAll(/`([\w/.]+\.ts)` →(?= `([\w/.]+\.ts)`)/g)]);
  expect(arrows.length).toBeGreaterThan(9);
  const broken = arrows.filter(([, from = '', to = '']) => !importedBy(from).has(to));
  expect(broken.map(([, from, to]) => `${from} does not import ${to}`)).toEqual([]);
});

test('every page that docs/architecture.md links to exists', () => {
  const links = named(/\]\((?!https?:)([^)#]+)/g);
  expect(links.filter((link) => !existsSync(path.join(ROOT, 'docs', link)))).toEqual([]);
});

test('the drawing of the way of a request names folders of src/', () => {
  const [drawing = ''] = /```mermaid\n[\s\S]*?```/.exec(TEXT) ?? [];
  const folders = [...drawing.matchAll(/\["([^"]+)"\]/g)].map(([, folder = '']) => folder);
  expect(folders.length).toBeGreaterThan(10);
  expect(folders.filter((folder) => !FILES.includes(path.join('src', folder)))).toEqual([]);
});

test('the drawing of the subjects of core/ has the arrows that their imports have', () => {
  const [, section = ''] = TEXT.split('### A ladder of subjects');
  const [drawing = ''] = /```mermaid\n[\s\S]*?```/.exec(section) ?? [];
  const drawn = [...drawing.matchAll(/^ {2}(\w+) --> (.+)$/gm)].flatMap(([, from, to = '']) =>
    to.split(' & ').map((subject) => `${from} → ${subject}`),
  );
  const core = path.join(ROOT, 'src/core');
  const imported = globSync('*/**/*.ts', { cwd: core }).flatMap((file) =>
    [...readFileSync(path.join(core, file), 'utf8').matchAll(/from '\.\.\/(\w+)\//g)].map(
      ([, to]) => `${file.split(path.sep)[0]} → ${to}`,
    ),
  );
  const shown = imported.filter((arrow) => !/→ journal$/.test(arrow));
  expect(drawn.sort()).toEqual([...new Set(shown)].sort());
});
