/** The shapes of requests by the operations of the OpenAPI document: their query parameters, and the schemas of their JSON bodies. */
import { z } from 'zod';
import type { Limits } from '../domain/limits.ts';
import { operations } from './operations.ts';

export interface RequestShape {
  /** Names of its query parameters. */
  readonly query: readonly string[];
  /** Undefined if it takes no JSON. */
  readonly body: z.ZodType | undefined;
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
        body: body instanceof z.ZodType ? body : undefined,
      });
    }
  }
  return (method, pattern) => shapes.get(keyOf(method, pattern));
}

/** `/ads/{id}` in the document is `/ads/:id` in a route. */
function keyOf(method: string, path: string): string {
  return `${method.toUpperCase() === 'HEAD' ? 'GET' : method.toUpperCase()} ${path.replace(/\{\w+\}|:\w+/g, '*')}`;
}
