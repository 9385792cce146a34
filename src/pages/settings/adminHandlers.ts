/** Wraps the handlers of settings, which need the scope admin. */
import type { Request, RequestHandler } from 'express';
import { Faults } from '../../contract/faults.ts';
import { Failure, type FieldErrors } from '../../domain/failure.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../context.ts';
import { requireOwnForm } from '../forms.ts';
import { type Notice, withNotice } from '../notices.ts';
import type { PageHandlers, ViewerRequest } from '../pageHandlers.ts';
import { ADMINS_ONLY } from './settingsPage.ts';

type Handler = (request: ViewerRequest) => Promise<ResultsPage | 'sent' | undefined>;

export interface AdminHandlers {
  /** @param cost tokens of the key; 1 unless given. */
  page(handle: Handler, cost?: number): RequestHandler;
  /** Handles a POST. The page that it returns is the answer to the form. */
  form(handle: Handler, cost?: number): RequestHandler;
}

export const isAdmin = ({ scopes }: Viewer): boolean => scopes.includes('admin');

export function adminHandlers(options: PagesOptions, handlers: PageHandlers): AdminHandlers {
  const page: AdminHandlers['page'] = (handle, cost) =>
    handlers.page(
      'organization',
      (pageRequest) => (isAdmin(pageRequest.viewer) ? handle(pageRequest) : Promise.resolve(ADMINS_ONLY)),
      cost,
    );
  const form: AdminHandlers['form'] = (handle, cost) =>
    page((pageRequest) => {
      requireOwnForm(options, pageRequest.request, { viewer: pageRequest.viewer, needsWrite: false });
      return handle(pageRequest);
    }, cost);
  return { page, form };
}

/** Ends a form that succeeded. */
export function redirectTo({ response }: ViewerRequest, path: string, notice?: Notice): 'sent' {
  response.redirect(303, notice === undefined ? path : withNotice(path, notice));
  return 'sent';
}

/** The values that a person typed into a form, and their faults. */
export interface FormState {
  readonly values: Readonly<Record<string, string>>;
  readonly errors: FieldErrors;
}

export const EMPTY_FORM: FormState = { values: {}, errors: {} };

/** @returns the fields of a form as they were typed, without those that hold secrets or belong to the form itself. */
export function typedValues(request: Request, secrets: readonly string[] = []): Record<string, string> {
  const body: unknown = request.body;
  const entries = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const hidden = ['form', 'next', ...secrets];
  return Object.fromEntries(
    entries.flatMap(([name, value]) => (typeof value === 'string' && !hidden.includes(name) ? [[name, value]] : [])),
  );
}

/**
 * Runs what a form asks for. @param fail shows the form again with its faults.
 * @throws errors that are no fault of the person.
 */
export async function tryForm<T>(
  run: () => Promise<T>,
  fail: (errors: FieldErrors, status: number) => T | Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Failure && (error.status === 422 || error.status === 409))
      return fail(error.errors, error.status);
    throw error;
  }
}

/** @returns the parsed value. @throws Failure (422) with all its faults. */
export function readFields<S extends Parameters<Faults['read']>[0]>(schema: S, value: unknown) {
  const faults = new Faults();
  const parsed = faults.read(schema, value, '');
  if (parsed === undefined) throw new Failure({ status: 422, code: 'invalid', errors: faults.errors });
  return parsed;
}
