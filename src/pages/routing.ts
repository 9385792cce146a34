/** Helpers of the route files of the pages. */
import express, { type Request, type RequestHandler } from 'express';
import { Failure } from '../domain/failure.ts';
import type { PagesOptions } from './context.ts';
import type { LiveConnections } from './live.ts';
import type { PageHandlers, ViewerRequest } from './pageHandlers.ts';

const FORM_BYTES = 64 * 1024;

export interface RouteTools {
  readonly handlers: PageHandlers;
  readonly live: LiveConnections;
}

/** Reads the fields of a form. */
export function formBody(fieldsMax = 20): RequestHandler {
  const read = express.urlencoded({ extended: false, limit: FORM_BYTES, parameterLimit: fieldsMax });
  return (request, response, next) => {
    // The parser would read a body that is too large to its end before it rejects it.
    if (Number(request.get('content-length') ?? 0) > FORM_BYTES) throw tooLargeForm();
    read(request, response, next);
  };
}

function tooLargeForm(): Failure {
  const text = `This form could not be read, because it has more than ${FORM_BYTES.toLocaleString('en')} bytes.`;
  return new Failure({ status: 413, code: 'too_large', errors: { form: [text] } });
}

/** @returns the id in the path, which the router has checked. */
export const idOf = (request: Request): string => String(request.params['id']).toLowerCase();

/** @returns the number of the list page in the query, from 1; 1 if it is missing or is no such number. */
export function pageOf(request: { readonly query: Readonly<Record<string, unknown>> }): number {
  const page = Number(request.query['page'] ?? 1);
  return Number.isSafeInteger(page) && page > 0 && page < 1_000_000 ? page : 1;
}

export function recordQuery({ publicUrl }: PagesOptions, { request, viewer }: ViewerRequest) {
  return { id: idOf(request), publicUrl, organizationId: viewer.organizationId };
}
