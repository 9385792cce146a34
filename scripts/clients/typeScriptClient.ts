/** Writes the models and the operations of the TypeScript client. */
import { type ApiDocument, type Operation, readApiDocument, type Schema, textOf } from './apiDocument.ts';

const HEADER = '// Written by `make generate` from the OpenAPI document. Do not edit.\n';

/** clients/typescript/src/generated/models.ts */
export function generateTypeScriptModels(): string {
  const { models, events } = readApiDocument();
  const types = Object.entries(models).map(
    ([name, schema]) => `${comment(schema.description)}export type ${name} = ${typeOf(schema)};\n`,
  );
  const event = `/** The body of a webhook. */\nexport type WebhookEvent = ${union(events.map(typeOf))};\n`;
  return [HEADER, ...types, event].join('\n');
}

/** clients/typescript/src/generated/operations.ts */
export function generateTypeScriptOperations(): string {
  const { operations, models } = readApiDocument();
  const methods = operations.map(methodOf).join('\n');
  const queries = operations.flatMap(({ name, query }) =>
    query === undefined ? [] : `export type ${queryName(name)} = ${typeOf(query)};\n`,
  );
  const used = modelsIn({ models }, queries.join() + methods);
  return [
    HEADER,
    "import type { Answer, CallOptions, FileContent, Page } from '../call.ts';",
    "import { Caller } from '../caller.ts';",
    `import type {\n${used.map((name) => `  ${name},\n`).join('')}} from './models.ts';\n`,
    ...queries,
    '/** One method for each operation of the API. */',
    `export class Operations extends Caller {\n${methods}}\n`,
  ].join('\n');
}

function modelsIn({ models }: Pick<ApiDocument, 'models'>, text: string): string[] {
  const words = new Set(text.match(/\w+/g));
  return Object.keys(models)
    .filter((name) => words.has(name))
    .sort();
}

const queryName = (operation: string) => `${operation[0]?.toUpperCase()}${operation.slice(1)}Query`;

function methodOf(operation: Operation): string {
  const { name, summary, method, path, query, body, item, repeatable, pathParameters } = operation;
  const ids = pathParameters.map((id) => `${camelCase(id)}: string`);
  const given = [...ids, ...bodyParameter(body), ...queryParameter(name, query)];
  const request = [
    `method: '${method}'`,
    `path: \`${path.replaceAll(/\{(\w+)\}/g, (_, id: string) => `\${encodeURIComponent(${camelCase(id)})}`)}\``,
    ...(body ? ['body'] : []),
    ...(query ? ['query'] : []),
    `repeatable: ${repeatable}`,
  ];
  const shape = item ? `Page<${typeOf(item)}>` : union(operation.results.map(typeOf));
  const result = shape === '' ? 'void' : `Answer<${shape}>`;
  const one = `  /** ${summary}. */
  ${name}(${[...given, 'options: CallOptions = {}'].join(', ')}): Promise<${result}> {
    return this.call<${result}>({ ${request.join(', ')} }, options);
  }
`;
  if (item === undefined) return one;
  const before = [...pathParameters.map(camelCase), ...(body ? ['body'] : [])];
  return `${one}
  /** ${summary}. Reads all pages from \`query.page\` on, one after the other. */
  ${name.replace(/^list/, 'iterate')}(${[...given, 'options: CallOptions = {}'].join(', ')}): AsyncGenerator<${typeOf(item)}, void> {
    return this.iterate((page) => this.${name}(${[...before, '{ ...query, page }', 'options'].join(', ')}), query.page);
  }
`;
}

function bodyParameter(body: Operation['body']): string[] {
  if (body === undefined) return [];
  const type = body.schema === 'bytes' ? 'FileContent' : typeOf(body.schema);
  return [body.required ? `body: ${type}` : `body: ${type} = {}`];
}

function queryParameter(name: string, query: Schema | undefined): string[] {
  if (query === undefined) return [];
  return [query.required?.length ? `query: ${queryName(name)}` : `query: ${queryName(name)} = {}`];
}

function camelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.properties !== undefined) return objectType(schema);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return union(choices.map(typeOf));
  if (schema.allOf !== undefined) return schema.allOf.map((part) => `(${typeOf(part)})`).join(' & ');
  const types = schema.type === undefined ? [] : [schema.type].flat();
  return union(types.map((type) => simpleType(type, schema))) || 'unknown';
}

function simpleType(type: string, { items, additionalProperties }: Schema): string {
  if (type === 'array') return `Array<${items ? typeOf(items) : 'unknown'}>`;
  if (type === 'object') {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown';
    return `Record<string, ${value}>`;
  }
  return type === 'integer' ? 'number' : type;
}

function objectType({ properties = {}, required = [] }: Schema): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const key = /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
    return `${comment(schema.description)}${key}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};\n`;
  });
  return `{\n${fields.join('').replaceAll(/^(?=.)/gm, '  ')}}`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function comment(description: string | undefined): string {
  const text = textOf(description).replaceAll('*/', '*\\/');
  return text === '' ? '' : `/** ${text} */\n`;
}
