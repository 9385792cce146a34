/** The shapes of requests by the operations of the OpenAPI document: their query parameters, and the fields of their JSON bodies. */
import { z } from 'zod';
import type { Limits } from '../domain/limits.ts';
import { operations } from './operations.ts';
import { type KnownPart, knownPart } from './unknownFields.ts';

export interface RequestShape {
  /** Names of its query parameters. */
  readonly query: readonly string[];
  /** The fields of its JSON; undefined if it takes none. */
  readonly body: KnownPart;
}

/** @returns the shape of a request by its method and the pattern of its path, whatever the parameters of the path are called. */
export type FindShape = (method: string, pattern: string) => RequestShape | undefined;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

export function requestShapes(limits: Limits): FindShape {
  const shapes = new Map<string, RequestShape>();
  for (const [path, item] of Object.entries(operations(limits))) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation === undefined) continue;
      const { query } = operation.requestParams ?? {};
      const body = operation.requestBody?.content?.['application/json']?.schema;
      shapes.set(keyOf(method, path), {
        query: query instanceof z.ZodObject ? Object.keys(query.shape) : [],
        body: knownPart(body),
      });
    }
  }
  return (method, pattern) => shapes.get(keyOf(method, pattern));
}

/** `/ads/{id}` in the document is `/ads/:id` in a route. */
function keyOf(method: string, path: string): string {
  return `${method.toUpperCase() === 'HEAD' ? 'GET' : method.toUpperCase()} ${path.replace(/\{\w+\}|:\w+/g, '*')}`;
}
