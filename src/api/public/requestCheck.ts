/**
 * Looks for unknown fields and query parameters in a request. The answer has them as `request_warnings`. With the header
 * `Prefer: handling=strict`, the request is rejected instead, before it changes anything.
 */
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import {
  type KnownPart,
  knownPart,
  type RequestWarning,
  unknownFields,
  unknownParameters,
} from '../../contract/unknownFields.ts';
import { type FieldErrors, invalid } from '../../domain/failure.ts';
import { listQuery } from './listQuery.ts';

type Handling = 'strict' | 'lenient';

export interface RequestShape {
  /** Names of its query parameters. */
  readonly query: readonly string[];
  /** The fields of its JSON; undefined if it takes none. */
  readonly body: KnownPart;
}

interface RequestCheck {
  readonly shape: RequestShape;
  readonly handling: Handling | undefined;
  readonly warnings: RequestWarning[];
}

const checks = new WeakMap<Request, RequestCheck>();

export function shapeOf({ requestParams, requestBody }: ZodOpenApiOperationObject): RequestShape {
  const query = requestParams?.query;
  return {
    query: query instanceof z.ZodObject ? Object.keys(query.shape) : [],
    body: knownPart(requestBody?.content?.['application/json']?.schema),
  };
}

/** Checks the query, and prepares the check of the body. @throws Failure (422) if the client wants strict handling. */
export function beginCheck(request: Request, response: Response, shape: RequestShape): void {
  const handling = wantedHandling(request);
  if (handling !== undefined) response.set('Preference-Applied', `handling=${handling}`);
  const check: RequestCheck = { shape, handling, warnings: unknownParameters(listQuery(request), shape.query) };
  checks.set(request, check);
  rejectIfStrict(check);
}

/** @param body as the client sent it. @throws Failure (422) if the client wants strict handling. */
export function checkBody(request: Request, body: object): void {
  const check = checks.get(request);
  if (check?.shape.body === undefined) return;
  check.warnings.push(...unknownFields(check.shape.body, body));
  rejectIfStrict(check);
}

/** @returns the JSON with the warnings of its request. @param text a JSON object that has fields. */
export function withRequestWarnings(request: Request, text: string): string {
  const warnings = checks.get(request)?.warnings ?? [];
  return warnings.length === 0 ? text : `${text.slice(0, -1)},"request_warnings":${JSON.stringify(warnings)}}`;
}

function rejectIfStrict({ handling, warnings }: RequestCheck): void {
  if (handling !== 'strict' || warnings.length === 0) return;
  const errors: FieldErrors = Object.fromEntries(
    warnings.map(({ path, message }) => [path, [message.replace(', so the service ignored it', '')]]),
  );
  throw invalid(errors);
}

/** Reads `Prefer` (RFC 7240). The first of several values counts. */
function wantedHandling(request: Request): Handling | undefined {
  const preferences = (request.headersDistinct['prefer'] ?? []).flatMap((header) => header.split(','));
  for (const preference of preferences) {
    const found = /^\s*handling\s*=\s*"?(strict|lenient)"?\s*(?:;|$)/i.exec(preference)?.[1]?.toLowerCase();
    if (found === 'strict' || found === 'lenient') return found;
  }
  return undefined;
}
