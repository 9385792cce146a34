/** Reads charts/tearsheet/values.yaml: each value with the comment above it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMap, isScalar, LineCounter, type Pair, parseDocument, type YAMLMap } from 'yaml';

const FILE = fileURLToPath(new URL('../charts/tearsheet/values.yaml', import.meta.url));

export interface ChartValue {
  readonly name: string;
  /** The value in values.yaml, which Helm uses unless the operator sets another. */
  readonly fallback: unknown;
  readonly description: string;
  /** From `@schema` lines, on top of what the default tells. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly section: string;
  /** The values of a group; a value of Kubernetes' own shape (`$open`) has none. */
  readonly inner: readonly ChartValue[];
}

interface Source {
  readonly lines: readonly string[];
  readonly lineOf: (pair: Pair) => number;
}

/** @throws Error naming each value without a description. */
export function readChartValues(text = readFileSync(FILE, 'utf8')): readonly ChartValue[] {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  if (document.errors.length > 0 || !isMap(document.contents)) throw new Error(`values.yaml: ${document.errors[0]}`);
  const lineOf = ({ key }: Pair) => counter.linePos((isScalar(key) && key.range?.[0]) || 0).line - 1;
  const values = readMap(document.contents, { lines: text.split('\n'), lineOf });
  const silent = undescribed(values, '');
  if (silent.length > 0) throw new Error(`Values without a description in values.yaml: ${silent.join(', ')}`);
  return values;
}

function readMap(map: YAMLMap, source: Source): ChartValue[] {
  return map.items.map((pair) => {
    const { description, schema } = commentAbove(source.lineOf(pair), source.lines);
    const fallback: unknown = pair.value === null ? null : (pair.value as { toJSON(): unknown }).toJSON();
    const isGroup = isMap(pair.value) && pair.value.items.length > 0 && schema['$open'] !== true;
    const inner = isGroup ? readMap(pair.value as YAMLMap, source) : [];
    const section = sectionAt(source.lineOf(pair), source.lines);
    return { name: String(pair.key), fallback, description, schema, section, inner };
  });
}

/** The unbroken run of comment lines over a value. */
function commentAbove(line: number, lines: readonly string[]) {
  const comment: string[] = [];
  for (let i = line - 1; /^\s*#/.test(lines[i] ?? ''); i -= 1) comment.unshift((lines[i] ?? '').replace(/^\s*# ?/, ''));
  const marked = (mark: string) =>
    comment.filter((text) => text.startsWith(mark)).map((text) => text.slice(mark.length));
  const schema: Record<string, unknown> = Object.assign({}, ...marked('@schema ').map((json) => JSON.parse(json)));
  return { description: comment.filter((text) => !text.startsWith('@')).join(' '), schema };
}

function sectionAt(line: number, lines: readonly string[]): string {
  const above = lines.slice(0, line).findLast((text) => text.startsWith('# @section '));
  return above?.slice('# @section '.length) ?? '';
}

function undescribed(values: readonly ChartValue[], prefix: string): string[] {
  return values.flatMap(({ name, description, inner }) => {
    if (inner.length > 0) return undescribed(inner, `${prefix}${name}.`);
    return description === '' ? [prefix + name] : [];
  });
}
