import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const FILE = new URL('../../../crds/tearsheet.dev_screenshotjobs.yaml', import.meta.url);
const text = readFileSync(FILE, 'utf8');
const version = parse(text).spec.versions[0];

interface Node {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly [keyword: string]: unknown;
}

/** Every schema of the resource below its root, by its path. */
function nodes(schema: Node, path = ''): [string, Node][] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, node]) => nodes(node, `${path}.${name}`));
  const items = schema.items === undefined ? [] : nodes(schema.items, `${path}[]`);
  return [...(path === '' ? [] : [[path, schema] as [string, Node]]), ...inner, ...items];
}

const OF_KUBERNETES = ['.apiVersion', '.kind'];
const all = nodes(version.schema.openAPIV3Schema);

test('the CRD stays far below the size limits of kubectl and etcd', () => {
  expect(Buffer.byteLength(text)).toBeLessThan(65_536);
});

test('every string, list and number of a ScreenshotJob is bounded', () => {
  const open = all.filter(([path, node]) => {
    if (OF_KUBERNETES.includes(path)) return false;
    if (node.type === 'string') return node['maxLength'] === undefined && node['enum'] === undefined;
    if (node.type === 'array') return node['maxItems'] === undefined;
    return node.type === 'integer' && (node['minimum'] === undefined || node['maximum'] === undefined);
  });
  expect(open.map(([path]) => path)).toEqual([]);
});

test('kubectl explain has a description of every field', () => {
  const silent = all.filter(
    ([path, { description = '' }]) => !path.startsWith('.metadata') && !/\w.*\.$/.test(description),
  );
  expect(silent.map(([path]) => path).filter((path) => !path.endsWith('[]'))).toEqual([]);
});

test('each column of kubectl is a field of the ScreenshotJob', () => {
  const fields = new Set([...all.map(([path]) => path), '.metadata.creationTimestamp']);
  const columns: { jsonPath: string }[] = version.additionalPrinterColumns;
  expect(columns.map((column) => column.jsonPath).filter((path) => !fields.has(path))).toEqual([]);
});

test('the default columns of kubectl are those in the operations guide', () => {
  const plain = version.additionalPrinterColumns.filter((column: { priority?: number }) => !column.priority);
  expect(plain.map((column: { name: string }) => column.name)).toEqual(['Status', 'Done', 'Failed', 'Pods', 'Age']);
});
