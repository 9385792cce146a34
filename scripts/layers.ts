/** The table of allowed imports, and the search for imports that break it and for circles of imports. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAst } from 'vitest/node';

/**
 * From the bottom up. A module imports from lower levels and from itself, never from its own level or a higher one. A module is a folder
 * of `src/`, or a folder inside one that has a level of its own.
 */
const LEVELS: readonly (readonly string[])[] = [
  ['lib'],
  ['domain'],
  ['contract'],
  ['db', 'artifacts', 'egress', 'mail', 'observe', 'cluster', 'framing', 'fileReader'],
  ['core'],
  ['api'],
  ['pages', 'controller', 'capture', 'exports'],
  ['cli'],
];
/** The entry point, its commands and the settings form one module: together they start all other modules. */
const PARTS_OF_CLI = ['cli.ts', 'commands', 'config.ts'];
/** A capture program loads pages that we do not trust, so it gets no access to the database, the queue or the cluster. */
const NEVER: Readonly<Record<string, readonly string[]>> = {
  capture: ['db', 'core', 'cluster', 'api'],
};
/** Modules without input or output use no library, and nothing of Node. */
const WITHOUT_PACKAGES = ['domain'];

/** Levels of the folders inside a module, from the bottom up, by the same rule. */
const INNER_LEVELS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  api: [['server'], ['auth'], ['limits'], ['transfers', 'uploads', 'thumbnails', 'logos'], ['internal', 'public']],
  // Each subject uses only those before it. docs/architecture.md draws the arrows.
  core: [
    ['journal'],
    ['organizations', 'people', 'uploads', 'ads', 'siteRules'],
    ['buckets', 'sets', 'mediaPlans'],
    ['events', 'requests', 'exports'],
    ['reviews', 'schedules', 'jobs', 'webhooks'],
    ['sharing', 'removal', 'operations'],
    ['notices'],
  ],
  pages: [
    ['parts'],
    ['signIn'],
    ['routes'],
    ['tables', 'pictures'],
    ['deliveries'],
    ['settings', 'sharing', 'newRequest', 'people', 'objects', 'reference'],
    ['set'],
    ['lists'],
    ['schedules'],
  ],
  capture: [['memory', 'compose', 'browser'], ['creative'], ['page'], ['engine'], ['program', 'shoot']],
  'cluster/kubernetes': [['client'], ['cache'], ['jobs']],
};

export interface Breach {
  /** From the root, with the line. */
  readonly at: string;
  readonly message: string;
}

/** @param root the folder that holds `src`. */
export function findBreaches(root: string): Breach[] {
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join('src', name))
    .sort();
  const imports = new Map(files.map((file) => [file, importsOf(readFileSync(path.join(root, file), 'utf8'))]));
  return [...[...imports].flatMap(([file, found]) => breachesOf(file, found)), ...findCircles(imports)];
}

function breachesOf(file: string, imports: readonly Import[]): Breach[] {
  const from = moduleOf(file);
  if (levelOf(from) < 0) {
    return [{ at: `${file}:1`, message: `${from} belongs to no layer; put it into the table of scripts/layers.ts` }];
  }
  return imports.flatMap(({ specifier, line }) => {
    const message = judge(file, specifier);
    return message === undefined ? [] : [{ at: `${file}:${line}`, message }];
  });
}

/** Why this file may not import that, or undefined. */
function judge(file: string, specifier: string): string | undefined {
  const from = moduleOf(file);
  if (!specifier.startsWith('.')) {
    return WITHOUT_PACKAGES.includes(from) ? `${from} imports no package, and this imports ${specifier}` : undefined;
  }
  const target = path.join(path.dirname(file), specifier);
  if (!target.startsWith(`src${path.sep}`)) {
    return target === 'package.json' ? undefined : `src must not import ${target}, which is not part of the program`;
  }
  const to = moduleOf(target);
  if (to === from) return judgeInside(file, target);
  if (levelOf(to) < levelOf(from) && !NEVER[from]?.includes(to)) return undefined;
  return `${from} must not import ${to} (${target})`;
}

/** Why one folder inside a module may not import another one, or undefined. A file beside the folders may import all of them. */
function judgeInside(file: string, target: string): string | undefined {
  for (const [module, levels] of Object.entries(INNER_LEVELS)) {
    const [from, to] = [folderInside(module, file), folderInside(module, target)];
    if (from === undefined || to === undefined || from === to) continue;
    const level = (folder: string) => levels.findIndex((names) => names.includes(folder));
    if (level(from) < 0) return `${module}/${from} has no level; put it into INNER_LEVELS of scripts/layers.ts`;
    if (level(to) >= level(from)) return `${module}/${from} must not import ${module}/${to} (${target})`;
  }
  return undefined;
}

/** @returns the folder of the module that holds the file; undefined for a file outside of the module or beside its folders. */
function folderInside(module: string, file: string): string | undefined {
  const prefix = `src/${module}/`;
  const parts = file.startsWith(prefix) ? file.slice(prefix.length).split(path.sep) : [];
  return parts.length > 1 ? parts[0] : undefined;
}

/** Circles of imports, imports of types included. Each is reported once, at its first file by name. */
function findCircles(imports: ReadonlyMap<string, readonly Import[]>): Breach[] {
  const done = new Set<string>();
  const breaches: Breach[] = [];
  const visitFile = (file: string, trail: readonly string[]): void => {
    const start = trail.indexOf(file);
    if (start >= 0) {
      breaches.push({ at: `${file}:1`, message: `imports itself: ${[...trail.slice(start), file].join(' → ')}` });
      return;
    }
    if (done.has(file)) return;
    for (const { specifier } of imports.get(file) ?? []) {
      const target = path.join(path.dirname(file), specifier);
      if (specifier.startsWith('.') && imports.has(target)) visitFile(target, [...trail, file]);
    }
    done.add(file);
  };
  for (const file of imports.keys()) visitFile(file, []);
  return breaches;
}

function moduleOf(file: string): string {
  const [, name = '', inner = ''] = file.split(path.sep);
  if (PARTS_OF_CLI.includes(name)) return 'cli';
  return levelOf(`${name}/${inner}`) < 0 ? name : `${name}/${inner}`;
}

function levelOf(module: string): number {
  return LEVELS.findIndex((level) => level.includes(module));
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

interface Import {
  readonly specifier: string;
  readonly line: number;
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
      found.push({ specifier: source['value'], line: lineAt(text, Number(source['start'] ?? 0)) });
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
