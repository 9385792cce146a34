/** docs/glossary.md stays a list that a reader can search and trust. */
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../../..');
const TEXT = readFileSync(path.join(ROOT, 'docs/glossary.md'), 'utf8');
const TERMS = [...TEXT.matchAll(/^## (.+)$/gm)].map(([, term = '']) => term);

test('the glossary lists its terms alphabetically, each once', () => {
  expect(TERMS.length).toBeGreaterThan(50);
  expect(TERMS).toEqual(TERMS.toSorted((a, b) => a.localeCompare(b, 'en')));
  expect(TERMS.filter((term, at) => TERMS.indexOf(term) !== at)).toEqual([]);
});

test('every glossary term has a definition of at most four sentences', () => {
  const entries = TEXT.split(/^## .+$/m).slice(1);
  const lengths = entries.map((entry) => entry.match(/[.](?=\s|$)/g)?.length ?? 0);
  expect(TERMS.filter((_, at) => lengths[at] === 0 || (lengths[at] ?? 0) > 4)).toEqual([]);
});

test('every term in italics in the glossary has its own entry', () => {
  const known = new Set(TERMS.map((term) => term.toLowerCase()));
  const isKnown = (name: string) => known.has(name) || known.has(name.replace(/ies$/, 'y').replace(/s$/, ''));
  const used = [...TEXT.matchAll(/(?<!\*)\*([^*\n]+(?:\n[^*\n]+)?)\*(?!\*)/g)].map(([, name = '']) =>
    name.replaceAll(/\s+/g, ' ').replace(/'s$/, '').toLowerCase(),
  );
  expect(used.length).toBeGreaterThan(50);
  expect(used.filter((name) => !isKnown(name))).toEqual([]);
});

test('every value, field and setting that the glossary names exists in the source', () => {
  const source = globSync('src/**/*.{ts,sql}', { cwd: ROOT })
    .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
    .join('\n');
  const names = [...TEXT.matchAll(/`([A-Za-z_]+)`/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(source))).toEqual([]);
});
