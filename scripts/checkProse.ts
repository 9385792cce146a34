/**
 * Fails when prose breaks the rules of scripts/prose: documents, comments, messages, chart texts, names of tests.
 * Arguments: files or folders, else everything. `--root` names another root, for the test that plants violations.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { lintProse } from './prose/textlint.ts';

const ALL = [
  '*.md',
  'Makefile',
  'Dockerfile',
  '.github/**/*.{yml,yaml,md}',
  'docs/**/*.md',
  'clients/**/*.{ts,md}',
  'charts/**/*.{yaml,tpl,txt,md}',
  'examples/**/*.{ts,yaml,md}',
  'scripts/**/*.{ts,js,sh}',
  'src/**/*.{ts,js}',
  'test/**/*.{ts,md,sh}',
];
/** Written by `make generate` from sources that are checked; and pages that only look like publishers'. */
const EXCLUDED = [
  'docs/configuration.md',
  'docs/metrics.md',
  'charts/tearsheet/README.md',
  'clients/typescript/src/generated/',
  'clients/typescript/dist/',
  'test/fixtures/',
  'test/bench/peer/',
];
/** These spell out what the rules look for. */
const EXAMPLES = ['scripts/prose/words.ts', 'test/unit/checks/prose.test.ts'];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { root: { type: 'string' } } });
const root = values.root ?? fileURLToPath(new URL('..', import.meta.url));
const wanted = positionals.map((name) => path.relative(root, path.resolve(name)));
const missing = wanted.filter((name) => statSync(path.join(root, name), { throwIfNoEntry: false }) === undefined);
if (missing.length > 0) throw new Error(`There is no ${missing.join(', ')} in ${root}.`);

const files = globSync(ALL, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] })
  .filter((file) => ![...EXCLUDED, ...EXAMPLES].some((name) => file.startsWith(name)))
  .filter(
    (file) => wanted.length === 0 || wanted.some((name) => name === '' || file === name || file.startsWith(`${name}/`)),
  )
  .sort();
let problems = 0;
for (const file of files) {
  for (const { line, column, message } of await lintProse(file, readFileSync(path.join(root, file), 'utf8'))) {
    console.error(`${file}:${line}:${column} ${message}`);
    problems += 1;
  }
}
if (problems > 0)
  console.error(`${problems} problems in prose. CONTRIBUTING.md, "How prose is checked", explains the rules.`);
process.exitCode = problems === 0 ? 0 : 1;
