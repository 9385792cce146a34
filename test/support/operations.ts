/**
 * The operations of the OpenAPI document, and a request for each, made from the examples that the reference shows: a curl command
 * for a POSIX shell. It uses the variables TEARSHEET (the address of the service), ORGANIZATION and KEY, and variables for the ids
 * in the path, such as SET_ID.
 */
import { buildOpenApi } from '../../src/api/public/openApi.ts';
import type { Limits } from '../../src/domain/limits.ts';

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly example?: unknown;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId?: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, Content>> };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Record<string, Content> }>
  >;
}

export interface OpenApiDocument {
  readonly info: { readonly title: string; readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** One operation with its place. */
export interface NamedOperation {
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  /** The id of its section on the page, for example `post-screenshot_sets-id-retake`. */
  readonly id: string;
}

/** Names of ids by the part of the path before them, where the singular of that part is too long. */
const ID_NAMES: Readonly<Record<string, string>> = { screenshot_sets: 'SET_ID' };

export function sampleRequest({ method, path, operation }: NamedOperation): string {
  const query = queryOf(operation.parameters ?? []);
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"$TEARSHEET${withVariables(path)}${query}"`,
    '-H "Authorization: Bearer $KEY"',
    ...bodyOf(operation.requestBody?.content ?? {}),
  ];
  return lines.join(' \\\n  ');
}

/** @returns the variables for the ids in the path. */
export function idVariables(path: string): string[] {
  return [...withVariables(path).matchAll(/\$(\w+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => name.endsWith('_ID'));
}

function withVariables(path: string): string {
  return path
    .replace('{organization_slug}', '$ORGANIZATION')
    .replace(/([^/]+)\/\{(?:id|[a-z]+_id)\}/g, (_all, part: string) => `${part}/$${idName(part)}`);
}

function idName(part: string): string {
  return ID_NAMES[part] ?? `${part.replace(/ies$/, 'y').replace(/s$/, '').toUpperCase()}_ID`;
}

/** @returns the query with the parameters that are required or have an example. */
function queryOf(parameters: readonly Parameter[]): string {
  const given = parameters.flatMap(({ in: place, name, required, schema }) => {
    const value = schema.example ?? (required === true ? schema.enum?.[0] : undefined);
    return place === 'query' && value !== undefined ? [`${name}=${encodeURIComponent(String(value))}`] : [];
  });
  return given.length === 0 ? '' : `?${given.join('&')}`;
}

function bodyOf(content: Readonly<Record<string, Content>>): string[] {
  const [type, { example }] = Object.entries(content).find(([, one]) => one.example !== undefined) ?? ['', {}];
  if (example === undefined) return [];
  const isText = typeof example === 'string';
  const text = isText ? example : compactJson(example, '  ');
  return [`-H "Content-Type: ${type}"`, `${isText ? '--data-binary' : '-d'} ${quoted(text)}`];
}

const LINE = 96;

/** @returns JSON in which everything that fits into a line has one line. */
function compactJson(value: unknown, indent: string): string {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || line.length + indent.length <= LINE) return spaced(value);
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const items = Object.entries(value).map(
    ([name, own]) => `${inner}${Array.isArray(value) ? '' : `${JSON.stringify(name)}: `}${compactJson(own, inner)}`,
  );
  return `${open}\n${items.join(',\n')}\n${indent}${close}`;
}

/** @returns JSON in one line, with spaces between its parts. */
function spaced(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  const entries = Object.entries(value).map(([name, own]) => `${JSON.stringify(name)}: ${spaced(own)}`);
  return `{ ${entries.join(', ')} }`;
}

/** @returns the text in single quotes, as a shell reads it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The parts of an OpenAPI document that tests read. */
export function openApiDocument(limits: Limits): OpenApiDocument {
  return buildOpenApi(limits) as OpenApiDocument;
}

export function operationsOf(paths: OpenApiDocument['paths']): NamedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const place = path.replace(/^\/api\/v1\/orgs\/\{organization_slug\}/, '').replace(/[^a-z0-9_]+/gi, '-');
      return { method: method.toUpperCase(), path, operation, id: `${method}${place}`.replace(/-$/, '') };
    }),
  );
}
