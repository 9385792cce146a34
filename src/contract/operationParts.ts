import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { OURS } from './descriptions.ts';

export type FailureStatus = 400 | 401 | 403 | 404 | 409 | 410 | 413 | 415 | 422 | 429;

/** The header of requests that can be repeated. */
export const idempotent = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(`The same key and body get the same response. ${OURS}`),
});

/** The parts that the operations of the OpenAPI document share. */
export interface OperationParts {
  /** The path that all operations start with. */
  readonly base: string;
  /** Its parameters. */
  readonly organization: { readonly organization_slug: z.ZodString };
  readonly withId: (what: string) => z.ZodObject;
  readonly responses: (
    status: 200 | 201 | 202,
    schema: z.ZodType,
    failures: readonly FailureStatus[],
  ) => ZodOpenApiResponsesObject;
  readonly list: (
    operationId: string,
    summary: string,
    query: z.ZodObject,
    item: z.ZodType,
  ) => ZodOpenApiOperationObject;
}
