/** The parts of an OpenAPI document that the reference shows. */

import { buildOpenApi } from '../../api/public/openApi.ts';
import type { Limits } from '../../domain/limits.ts';

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

export interface Content {
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Operation {
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
