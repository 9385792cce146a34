/** The table of allowed imports, and the search for those that breach it. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAst } from 'vitest/node';

/** From the ground up. A module imports from lower levels and from itself, never from its own level or a higher one. */
const LEVELS: readonly (readonly string[])[] = [
  ['domain'],
  ['contract'],
  ['store', 'queue', 'artifacts', 'egress', 'observe', 'cluster'],
  ['api', 'controller', 'delivery', 'capture'],
  ['cli'],
];
/** What starts the parts belongs together: the entry, its commands, the settings they hand down. */
const PARTS_OF_CLI = ['cli.ts', 'commands', 'config.ts'];
/** The pod that meets the web knows nothing. */
const NEVER: Readonly<Record<string, readonly string[]>> = { capture: ['store', 'queue', 'cluster'] };
/** Rules without input or output need no library and nothing of Node. */
const WITHOUT_PACKAGES = ['domain'];

export interface Breach {
  /** From the root, with the line. */
  readonly at: string;
  readonly message: string;
}

/** @param root the folder that holds `src`. */
export function findBreaches(root: string): Breach[] {
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .sort();
  return files.flatMap((name) => breachesOf(root, path.join('src', name)));
}

function breachesOf(root: string, file: string): Breach[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const from = moduleOf(file);
  if (levelOf(from) < 0) {
    return [{ at: `${file}:1`, message: `${from} belongs to no layer; put it into the table of scripts/layers.ts` }];
  }
  return importsOf(text).flatMap(({ specifier, start }) => {
    const message = judge(file, specifier);
    return message === undefined ? [] : [{ at: `${file}:${lineAt(text, start)}`, message }];
  });
}

/** Why this file may not import that, or undefined. */
function judge(file: string, specifier: string): string | undefined {
  const from = moduleOf(file);
  if (!specifier.startsWith('.')) {
    return WITHOUT_PACKAGES.includes(from) ? `${from} imports nothing, and this imports ${specifier}` : undefined;
  }
  const target = path.join(path.dirname(file), specifier);
  if (!target.startsWith(`src${path.sep}`)) {
    return target === 'package.json' ? undefined : `src must not import ${target}, which is not part of the program`;
  }
  const to = moduleOf(target);
  if (to === from) return undefined;
  if (levelOf(to) < levelOf(from) && !NEVER[from]?.includes(to)) return undefined;
  return `${from} must not import ${to} (${target})`;
}

function moduleOf(file: string): string {
  const name = file.split(path.sep)[1] ?? '';
  return PARTS_OF_CLI.includes(name) ? 'cli' : name;
}

function levelOf(module: string): number {
  return LEVELS.findIndex((level) => level.includes(module));
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

interface Import {
  readonly specifier: string;
  readonly start: number;
}

const WITH_SOURCE = [
  'ImportDeclaration',
  'ExportAllDeclaration',
  'ExportNamedDeclaration',
  'ImportExpression',
  'TSImportType',
];

/** Every import and re-export with a literal name, of values and of types. */
function importsOf(text: string): Import[] {
  const found: Import[] = [];
  visit(parseAst(text, { lang: 'ts' }), (node) => {
    const source = node['source'];
    if (!WITH_SOURCE.includes(String(node['type'])) || !isNode(source)) return;
    if (typeof source['value'] === 'string')
      found.push({ specifier: source['value'], start: Number(source['start'] ?? 0) });
  });
  return found;
}

type Node = Record<string, unknown>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

function visit(value: unknown, look: (node: Node) => void): void {
  if (!isNode(value)) return;
  if (!Array.isArray(value)) look(value);
  for (const child of Object.values(value)) visit(child, look);
}
