/**
 * Reads the JSON of a request, and looks for unknown fields and query parameters. The answer has them as `request_warnings`. With the
 * header `Prefer: handling=strict`, the request is rejected instead, before it changes anything.
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
import { invalid } from '../../domain/failure.ts';
import { type JsonBody, readJson, readOptionalJson } from './jsonBody.ts';
import { listQuery } from './listQuery.ts';

type Handling = 'strict' | 'lenient';

export interface RequestShape {
  /** Names of its query parameters. */
  readonly query: readonly string[];
  /** Its JSON; undefined if it takes none. */
  readonly body?: { readonly isRequired: boolean; readonly maxBytes?: number | undefined; readonly fields: KnownPart };
}

/** @param maxBytes of the JSON body. */
export function shapeOf({ requestParams, requestBody }: ZodOpenApiOperationObject, maxBytes?: number): RequestShape {
  const query = requestParams?.query;
  const json = requestBody?.content['application/json'];
  return {
    query: query instanceof z.ZodObject ? Object.keys(query.shape) : [],
    ...(json && { body: { isRequired: requestBody?.required === true, maxBytes, fields: knownPart(json.schema) } }),
  };
}

/** @throws Failure: as {@link readJson}; 422 if something is unknown and the client wants strict handling. */
export async function checkRequest(
  request: Request,
  response: Response,
  shape: RequestShape,
): Promise<{ readonly body?: JsonBody; readonly warnings: readonly RequestWarning[] }> {
  const handling = wantedHandling(request);
  if (handling !== undefined) response.set('Preference-Applied', `handling=${handling}`);
  const ofQuery = unknownParameters(listQuery(request), shape.query);
  if (handling === 'strict') rejectUnknown(ofQuery);
  if (shape.body === undefined) return { warnings: ofQuery };
  const { isRequired, maxBytes, fields } = shape.body;
  const body = await (isRequired ? readJson : readOptionalJson)(request, maxBytes);
  const ofBody = fields === undefined ? [] : unknownFields(fields, body.value);
  if (handling === 'strict') rejectUnknown(ofBody);
  return { body, warnings: [...ofQuery, ...ofBody] };
}

/** @param text a JSON object that has fields, or nothing. */
export function withWarnings(text: string, warnings: readonly RequestWarning[]): string {
  if (warnings.length === 0 || text === '') return text;
  return `${text.slice(0, -1)},"request_warnings":${JSON.stringify(warnings)}}`;
}

function rejectUnknown(warnings: readonly RequestWarning[]): void {
  if (warnings.length === 0) return;
  throw invalid(
    Object.fromEntries(
      warnings.map(({ path, message }) => [path, [message.replace(', so the service ignored it', '')]]),
    ),
  );
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
