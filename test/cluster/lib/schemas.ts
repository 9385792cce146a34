/**
 * `schemas.ts SWAGGER FOLDER`: converts the OpenAPI document of Kubernetes to the JSON schemas that kubeconform reads, one file for
 * each kind (`deployment-apps-v1.json`). The schemas are strict: they reject unknown fields.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

interface Schema {
  [key: string]: unknown;
}
interface Kind {
  readonly group: string;
  readonly kind: string;
  readonly version: string;
}

const [swagger = '', folder = ''] = process.argv.slice(2);
const { definitions } = JSON.parse(readFileSync(swagger, 'utf8')) as { definitions: Record<string, Schema> };

mkdirSync(folder, { recursive: true });
const strict = Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, closed(name, schema)]));
writeFileSync(path.join(folder, '_definitions.json'), JSON.stringify({ definitions: strict }));
for (const [name, schema] of Object.entries(definitions)) {
  for (const { group, kind, version } of (schema['x-kubernetes-group-version-kind'] ?? []) as Kind[]) {
    const file = [kind, group.split('.')[0], version].filter(Boolean).join('-').toLowerCase();
    writeFileSync(
      path.join(folder, `${file}.json`),
      JSON.stringify({ $ref: `_definitions.json#/definitions/${name}` }),
    );
  }
}

function closed(name: string, schema: Schema): Schema {
  // Numbers and strings are both valid here, and the document says only `string`.
  if (name.endsWith('.IntOrString') || name.endsWith('.Quantity')) return { type: ['string', 'number'] };
  // A CustomResourceDefinition contains its own schemas.
  if (name.endsWith('.JSONSchemaProps')) return { type: 'object' };
  const properties = schema['properties'] as Record<string, Schema> | undefined;
  return properties === undefined
    ? (relative(schema) as Schema)
    : { ...(relative(schema) as Schema), properties: nullable(properties), additionalProperties: false };
}

/** An absent field may be written as null. */
function nullable(properties: Record<string, Schema>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, { anyOf: [relative(schema), { type: 'null' }] }]),
  );
}

function relative(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(relative);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'format' && !key.startsWith('x-kubernetes'))
      .map(([key, part]) => [key, key === '$ref' ? `_definitions.json${String(part)}` : relative(part)]),
  );
}
