/** Runs our rules through textlint: its Markdown plugin reads documents, the plugin below reads sources. */
import path from 'node:path';
import { TextlintKernel, type TextlintKernelOptions, type TextlintPluginProcessor } from '@textlint/kernel';
import { MarkdownProcessor } from '@textlint/textlint-plugin-markdown/lib/src/MarkdownProcessor.js';
import { chartPassages } from './chart.ts';
import type { Passage } from './passages.ts';
import { proseRule, widthRule } from './textlintRules.ts';
import { typeScriptPassages } from './typeScript.ts';

export interface ProseProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

const kernel = new TextlintKernel();
const prose = { ruleId: 'prose', rule: proseRule };
const width = { ruleId: 'width', rule: widthRule };

/** @param file decides by its name how the text is read. */
export async function lintProse(file: string, text: string): Promise<ProseProblem[]> {
  const options: TextlintKernelOptions = file.endsWith('.md')
    ? {
        ext: '.md',
        plugins: [{ pluginId: 'markdown', plugin: { Processor: MarkdownProcessor } }],
        rules: [prose, width],
      }
    : { ext: SOURCE, plugins: [{ pluginId: 'source', plugin: { Processor: SourceProcessor } }], rules: [prose] };
  const { messages } = await kernel.lintText(text, { ...options, filePath: file });
  return messages
    .map(({ loc, message }) => ({ line: loc.start.line, column: loc.start.column, message }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}

const SOURCE = '.source';
type Processor = ReturnType<TextlintPluginProcessor['processor']>;
type DocumentNode = Extract<Awaited<ReturnType<Processor['preProcess']>>, { type: 'Document' }>;

class SourceProcessor implements TextlintPluginProcessor {
  availableExtensions(): string[] {
    return [SOURCE];
  }

  processor(): Processor {
    return {
      preProcess: (text, file = '') => documentOf(text, passagesOf(file.replaceAll(path.sep, '/'), text)),
      postProcess: (messages, filePath = '') => ({ messages, filePath }),
    };
  }
}

function passagesOf(file: string, text: string): Passage[] {
  return /\.[jt]s$/.test(file) ? typeScriptPassages(file, text) : chartPassages(file, text);
}

/** Each passage as a paragraph, or a heading where it need not be a sentence. */
function documentOf(text: string, passages: readonly Passage[]): DocumentNode {
  const positionAt = positionsIn(text);
  const place = (start: number, end: number) => ({
    raw: text.slice(start, end),
    range: [start, end] as const,
    loc: { start: positionAt(start), end: positionAt(end) },
  });
  const children = passages.map(({ kind, start, text: masked }) => {
    const at = place(start, start + masked.length);
    const words = [{ type: 'Str' as const, value: masked, ...at }];
    return kind === 'label'
      ? { type: 'Header' as const, depth: 1 as const, children: words, ...at }
      : { type: 'Paragraph' as const, children: words, ...at };
  });
  return { type: 'Document', children, ...place(0, text.length) };
}

/** @returns line from 1 and column from 0 of an offset. */
function positionsIn(text: string): (offset: number) => { line: number; column: number } {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    const line = starts.findLastIndex((start) => start <= offset);
    return { line: line + 1, column: offset - (starts[line] ?? 0) };
  };
}
