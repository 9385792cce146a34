/** Writes the models and the operations of the Python client. */
import { type Operation, readApiDocument, type Schema } from './apiDocument.ts';
import { PythonTypes } from './pythonTypes.ts';

const HEADER = '# Written by `make generate` from the OpenAPI document. Do not edit.\n';
const KEYWORDS = ['from', 'class', 'global', 'import', 'in', 'is', 'not', 'pass', 'return', 'with'];

/** clients/python/tearsheet_client/models.py */
export function generatePythonModels(): string {
  return generate().models;
}

/** clients/python/tearsheet_client/_operations.py */
export function generatePythonOperations(): string {
  return generate().operations;
}

function generate(): { models: string; operations: string } {
  const { models, operations, events } = readApiDocument();
  const types = new PythonTypes();
  for (const [name, schema] of Object.entries(models)) types.define(name, schema);
  types.define('WebhookEvent', { anyOf: events, description: 'The body of a webhook.' });
  const methods = operations.map((operation) => methodOf(operation, types));
  const used = types.names().filter((name) => methods.some((method) => method.includes(`"${name}"`)));
  return {
    models: `${HEADER}
from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union

${types.text()}`,
    operations: `${HEADER}
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Optional, Union, cast

from ._caller import Caller, quoted
from .models import (
${used.map((name) => `    ${name},\n`).join('')})


class Operations(Caller):
    """One method for each operation of the API."""

${methods.join('\n')}`,
  };
}

function methodOf(operation: Operation, types: PythonTypes): string {
  const { name, summary, method, path, query, body, item, repeatable, pathParameters } = operation;
  const parent = `${name[0]?.toUpperCase()}${name.slice(1)}`;
  const parameters = Object.entries(query?.properties ?? {});
  const hasKey = method === 'POST';
  const given = [
    ...pathParameters.map((id) => `${id}: str`),
    ...bodyParameter(body, types, parent),
    ...(parameters.length > 0 || hasKey ? ['*'] : []),
    ...parameters.map(([key, schema]) => queryParameter(key, schema, { query, types, parent })),
  ];
  const key = hasKey ? ['idempotency_key: Optional[str] = None'] : [];
  const call = [
    `"${method}"`,
    `${pathParameters.length > 0 ? 'f' : ''}"${path.replaceAll(/\{(\w+)\}/g, '{quoted($1)}')}"`,
    ...(body ? [body.required || body.schema === 'bytes' ? 'body=body' : 'body=body or {}'] : []),
    ...(parameters.length > 0
      ? [`query={${parameters.map(([each]) => `"${each}": ${argument(each)}`).join(', ')}}`]
      : []),
    ...(hasKey ? ['idempotency_key=idempotency_key'] : []),
    `repeatable=${repeatable ? 'True' : 'False'}`,
  ];
  const results = operation.results.map((schema) => types.typeOf(schema, `${parent}Result`));
  const result = types.union(results) || 'None';
  const sent = `self.call(${call.join(', ')})`;
  const one = `    def ${snakeCase(name)}(${['self', ...given, ...key].join(', ')}) -> ${result}:
        """${summary}."""
        ${result === 'None' ? sent : `return cast(${JSON.stringify(result.replaceAll('"', ''))}, ${sent})`}
`;
  if (item === undefined) return one;
  const itemType = types.typeOf(item, `${parent}Item`);
  const rest = parameters.filter(([each]) => each !== 'page').map(([each]) => `${argument(each)}=${argument(each)}`);
  const arguments_ = [...pathParameters, ...(body ? ['body'] : []), 'page=number', ...rest];
  return `${one}
    def ${snakeCase(name.replace(/^list/, 'iterate'))}(${['self', ...given].join(', ')}) -> Iterator[${itemType}]:
        """${summary}. Reads all pages from \`page\` on, one after the other."""
        return self.iterate(lambda number: self.${snakeCase(name)}(${arguments_.join(', ')}), page or 1)
`;
}

function bodyParameter(body: Operation['body'], types: PythonTypes, parent: string): string[] {
  if (body === undefined) return [];
  if (body.schema === 'bytes') return ['body: bytes'];
  const type = types.typeOf(body.schema, `${parent}Body`);
  return [body.required ? `body: ${type}` : `body: Optional[${type}] = None`];
}

interface Place {
  readonly query: Schema | undefined;
  readonly types: PythonTypes;
  readonly parent: string;
}

function queryParameter(name: string, schema: Schema, { query, types, parent }: Place): string {
  const type = types.typeOf(schema, `${parent}Query`);
  return query?.required?.includes(name) ? `${argument(name)}: ${type}` : `${argument(name)}: Optional[${type}] = None`;
}

function argument(name: string): string {
  return KEYWORDS.includes(name) ? `${name}_` : name;
}

/** `getS3Connector` becomes `get_s3_connector`. */
function snakeCase(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}
