import { describe, expect, test } from 'vitest';
import { proseProblems } from '../../../scripts/checkProse.ts';

/** The line and the message of each problem. */
const messagesIn = async (file: string, text: string) =>
  (await proseProblems(file, text)).map((problem) => problem.replace(/:\d+/, ''));

test('the prose check reports line and column', async () => {
  expect(await proseProblems('docs/page.md', 'Fine.\n\nAsk. Whoever waits is told.\n')).toEqual([
    '3:6 Whoever => who acts',
    '3:20 is told => who tells what: "the API reports …"',
  ]);
  const source = "// Fine.\nlog.info('somebody else has the name');\n";
  expect(await proseProblems('src/api/app.ts', source)).toEqual(['2:11 somebody => who acts']);
});

const sentence = (words: number) => `It${' is'.repeat(words - 1)}.`;

describe('the rules of the prose check', () => {
  test.each([
    ['a word to avoid', 'It begins anew.', 'anew => again'],
    ['a word to avoid in capitals', 'Whoever calls gets it.', 'Whoever => who acts'],
    ['"for" that means because', 'It waits, for the lease is held.', 'for the lease is => because'],
    ['"for" before a pronoun', 'It waits, for nobody calls.', 'for nobody => because'],
    ['"no more" at the end', 'It leads the group no more.', 'no more => no longer'],
    ['a sentence that starts with "what"', 'It ends. What is left stays.', '"What is left …": start with the subject'],
    ['a fragment that starts with "of"', 'Of one index.', '"Of one index. …": start with the subject'],
    ['a long sentence', sentence(31), 'a sentence of 31 words: split it, 30 at most'],
    ['a chain of semicolons', 'It is; it was; it will be.', '2 semicolons in one sentence: split it, 1 at most'],
  ])('the prose check reports %s', async (_rule, text, message) => {
    expect(await messagesIn('docs/page.md', text)).toEqual([`1 ${message}`]);
  });

  test.each([
    'It waits, for example, for the lease.',
    'It opens one page for each site, for a minute at most.',
    'A token is issued, for a pod that is new.',
    'It makes no more than two tries.',
    'What now?',
    'Set `somebody` or `anew` to true; `is told` is code.',
    '`a`: one; `b`: two; `c`: three.',
    `${sentence(15)} ${sentence(20)}`,
    `${sentence(15)}\n\`code\` is ${sentence(20).toLowerCase()}`,
    'See https://example.com/somebody/anew for more.',
  ])('the prose check accepts: %s', async (text) => {
    expect(await messagesIn('docs/page.md', text)).toEqual([]);
  });
});

describe('the places that the prose check reads', () => {
  const found = (line: number) => [`${line} anew => again`];

  test.each([
    ['a paragraph', 'docs/page.md', '# Title\n\nIt begins\nanew.\n', 4],
    ['a heading', 'docs/page.md', '# Begin anew\n', 1],
    ['an item of a list', 'docs/page.md', '- one\n- begin anew\n', 2],
    ['a cell of a table', 'docs/page.md', '| a | b |\n|---|---|\n| c | anew |\n', 3],
    ['a docstring', 'src/a.ts', '/**\n * One.\n *\n * @returns it anew\n */\nexport const a = 1;\n', 4],
    ['a line comment', 'src/a.ts', 'const a = 1;\n// Begins\n// anew.\n', 3],
    ['a comment behind a string with slashes', 'src/a.ts', "const a = 'http://b'; // begins anew\n", 1],
    ['a message', 'src/a.ts', "throw new Error('the server begins anew');\n", 1],
    ['a message with values', 'src/a.ts', 'log(`$'.concat('{name} begins anew`);\n'), 1],
    ['a description of a schema', 'src/a.ts', "z.string().describe('The name that begins anew.');\n", 1],
    ['the text of a page', 'src/a.ts', 'html`<p>The set begins <b>anew</b></p>`;\n', 1],
    ['the name of a test', 'test/a.test.ts', "it('a Job begins anew', () => {});\n", 1],
    ['the name of a test with a table', 'test/a.test.ts', "test.each([1])('%d begins anew', () => {});\n", 1],
    ['the comment of a test', 'test/a.test.ts', '// It begins anew.\n', 1],
    ['a comment of chart values', 'charts/a/values.yaml', 'a: 1\n# Begins\n# anew.\nb: 2\n', 3],
    ['a description in a chart', 'charts/a/Chart.yaml', 'name: a\ndescription: The chart that begins anew.\n', 2],
    [
      'a summary of an alert',
      'charts/a/files/alerts.yaml',
      'a:\n  - annotations:\n      summary: >-\n        It begins here\n        anew.\n',
      5,
    ],
    ['a comment of a template', 'charts/a/templates/a.yaml', 'a: 1\n{{- /* Begins anew. */ -}}\n', 2],
    ['a message of a template', 'charts/a/templates/_a.tpl', '{{- fail (printf "the value %s begins anew" .) }}\n', 1],
    ['the notes of an installation', 'charts/a/templates/NOTES.txt', 'Done.\n{{ if .a }}It begins anew.{{ end }}\n', 2],
    ['a comment of a script', 'scripts/a.sh', '#!/bin/sh\n# Begins anew.\n', 2],
  ])('the prose check reads %s', async (_place, file, text, line) => {
    expect(await messagesIn(file, text)).toEqual(found(line));
  });

  test.each([
    ['code in Markdown', 'docs/page.md', '    begins anew\n\n```\nbegins anew\n```\n'],
    ['identifiers', 'src/a.ts', 'export const anew = somebody.lest;\n'],
    ['names of modules', 'src/a.ts', "import { a } from './it begins anew.ts';\n"],
    ['SQL', 'src/a.ts', 'sql`select anew from lest`;\n'],
    ['values of tests', 'test/a.test.ts', "const a = 'a text that begins anew';\n"],
    ['values of a chart', 'charts/a/values.yaml', 'a: it begins anew\n'],
    ['commands in the notes', 'charts/a/templates/NOTES.txt', 'Run:\n\n     begins anew\n'],
  ])('the prose check leaves out %s', async (_place, file, text) => {
    expect(await messagesIn(file, text)).toEqual([]);
  });
});

describe('the width of Markdown', () => {
  const wide = 'word '.repeat(25).trim();

  test('the prose check reports a line of Markdown over 120 columns', async () => {
    const text = `Short.\n\n${wide}. ${wide.slice(0, 20)}\n`;
    expect(await messagesIn('docs/page.md', text)).toEqual(['3 a line of 146 columns: wrap at 120']);
  });

  test.each([
    ['a table', `| ${wide} | b |\n|---|---|\n| ${wide} | ${wide.slice(0, 20)} |\n`],
    ['a code block', `    ${wide} ${wide}\n`],
    ['the target of a link', `See [this page](https://example.com/${'a'.repeat(120)}).\n`],
  ])('the prose check accepts a wide line in %s', async (_place, text) => {
    expect(await messagesIn('docs/page.md', text)).toEqual([]);
  });
});
