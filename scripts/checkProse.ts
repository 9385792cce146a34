/**
 * Fails when prose breaks our rules: documents, comments, messages, chart texts, names of tests. textlint checks them.
 * Arguments: files or folders, else everything.
 */
import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { TextlintKernel, type TextlintRuleModule } from '@textlint/kernel';
import { MarkdownProcessor } from '@textlint/textlint-plugin-markdown/lib/src/MarkdownProcessor.js';
import { TextProcessor } from '@textlint/textlint-plugin-text/lib/src/TextProcessor.js';
import { sentenceRule } from './prose/sentenceRule.ts';
import { passagesOf } from './prose/sources.ts';

const ROOT = path.join(import.meta.dirname, '..');
const ALL = [
  ...['*.md', 'Makefile', 'Dockerfile', '.github/**/*.{yml,yaml,md}', 'docs/**/*.md', 'clients/**/*.{ts,md}'],
  ...['charts/**/*.{yaml,tpl,txt,md}', 'examples/**/*.{ts,yaml,md}', 'scripts/**/*.{ts,js,sh}'],
  ...['src/**/*.{ts,js}', 'test/**/*.{ts,md,sh}'],
];
/** Generated from sources that are checked, or pages that only look like publishers'; and samples of faults. */
const EXCLUDED =
  /^(?:docs\/(?:configuration|metrics)\.md|charts\/tearsheet\/README\.md|clients\/typescript\/dist\/|test\/fixtures\/|test\/unit\/checks\/prose\.test\.ts)|\bnode_modules\b/;
/** Columns of a line of Markdown; tables, code and the targets of links may be wider. */
const MAX_COLUMNS = 120;

const kernel = new TextlintKernel();
const prh: TextlintRuleModule = createRequire(import.meta.url)('textlint-rule-prh').default;
const options = {
  rulePaths: [path.join(import.meta.dirname, 'prose/words.yml')],
  checkLink: true,
  checkEmphasis: true,
};
const rules = [
  { ruleId: 'words', rule: prh, options },
  { ruleId: 'sentences', rule: sentenceRule },
];
const plugins = [
  { pluginId: 'markdown', plugin: { Processor: MarkdownProcessor } },
  { pluginId: 'text', plugin: { Processor: TextProcessor } },
];

/** @param file decides by its name how the text is read. @returns one line for each problem: line, column and what to do. */
export async function proseProblems(file: string, text: string): Promise<string[]> {
  if (file.endsWith('.md')) {
    const masked = text.replaceAll(/\bhttps?:\/\/[^\s"'<>)]+/g, (address) => 'X'.repeat(address.length));
    const { messages } = await kernel.lintText(masked, { ext: '.md', filePath: file, rules, plugins });
    const found = messages.map(({ loc: { start }, message }) => `${start.line}:${start.column} ${message}`);
    return [...found, ...wideLines(text)];
  }
  // Each passage becomes a line, so that the column says where in the passage a problem is.
  const passages = passagesOf(file, text);
  const lines = passages.map((passage) => passage.text).join('\n');
  const { messages } = await kernel.lintText(lines, { ext: '.txt', filePath: file, rules, plugins });
  return messages.map(({ loc, message }) => {
    const before = text.slice(0, (passages[loc.start.line - 1]?.start ?? 0) + loc.start.column - 1).split('\n');
    return `${before.length}:${(before.at(-1)?.length ?? 0) + 1} ${message}`;
  });
}

function wideLines(text: string): string[] {
  const isCode = /^ {4}|^\s*\|/;
  // Blocks of code keep their line breaks, so that the numbers of lines stay.
  const lines = text.replaceAll(/^```[\s\S]*?^```/gm, (block) => block.replaceAll(/[^\n]/g, '')).split('\n');
  return lines.flatMap((line, at) => {
    const columns = [...line.replaceAll(/\]\([^)]*\)/g, '](…)')].length;
    return columns > MAX_COLUMNS && !isCode.test(line) ? [`${at + 1}:1 a line of ${columns} columns: wrap at 120`] : [];
  });
}

if (import.meta.main) {
  const wanted = process.argv.slice(2).map((name) => path.relative(ROOT, path.resolve(name)));
  const isWanted = (file: string) => wanted.some((name) => name === '' || file === name || file.startsWith(`${name}/`));
  const files = globSync(ALL, { cwd: ROOT, exclude: ['**/node_modules/**', '**/dist/**', '**/generated/**'] })
    .filter((file) => !EXCLUDED.test(file) && (wanted.length === 0 || isWanted(file)))
    .sort();
  for (const file of files) {
    for (const problem of await proseProblems(file, readFileSync(path.join(ROOT, file), 'utf8'))) {
      console.error(`${file}:${problem}`);
      process.exitCode = 1;
    }
  }
  if (process.exitCode === 1) console.error('CONTRIBUTING.md, "How prose is checked", explains the rules.');
}
