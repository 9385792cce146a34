/** One visit to a page: who looks, what they are answered, and how failures are told. */
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { Failure } from '../../domain/failure.ts';
import { isSlug } from '../../domain/slugs.ts';
import { requireOwnForm } from './actions.ts';
import type { PagePaths, PagesOptions, ResultsPage, Viewer } from './context.ts';
import { sendPage } from './layout.ts';
import { billingPage, messagePage } from './messagePages.ts';
import { pathsOf } from './paths.ts';
import { field, ownPath, signInPage } from './signIn.ts';
import { findViewer } from './viewer.ts';

/** One request of somebody who may see this organization. */
export interface PageRequest {
  readonly request: Request;
  readonly response: Response;
  readonly viewer: Viewer;
  readonly paths: PagePaths;
}

/** `set`: who has a share link of it may look as well. */
type PageScope = 'set' | 'organization';
/** A page, or 'answered'; undefined stands for "there is no such thing". */
type Handle = (visit: PageRequest) => Promise<ResultsPage | 'answered' | undefined>;

export interface PageHandlers {
  send(response: Response, page: ResultsPage, given: { paths: PagePaths; viewer?: Viewer | undefined }): void;
  page(scope: PageScope, handle: Handle): RequestHandler;
  json(scope: PageScope, read: (visit: PageRequest) => Promise<object | undefined>): RequestHandler;
  /** A POST that goes back to a page. @param needsWrite whether the key must have that scope. */
  form(handle: (visit: PageRequest) => Promise<void>, needsWrite?: boolean): RequestHandler;
  readonly failed: ErrorRequestHandler;
}

export function createPageHandlers(options: PagesOptions): PageHandlers {
  const { publicUrl, contact, pictureOrigins = [] } = options;

  const send: PageHandlers['send'] = (response, page, { paths, viewer }) =>
    sendPage(response, page, { paths, viewer, pictureOrigins });

  const page: PageHandlers['page'] = (scope, handle) => async (request, response) => {
    const paths = pathsOf(publicUrl, slugOf(request));
    const viewer = await findViewer(options, request);
    if (viewer === undefined || (scope === 'organization' && viewer.sharedSet !== undefined)) {
      send(response, signInPage(paths, slugOf(request), { next: paths.base + request.path }), { paths });
      return;
    }
    if (viewer.disabled) {
      send(response, { ...billingPage(viewer.slug, contact), status: 403 }, { paths, viewer });
      return;
    }
    const answer = await handle({ request, response, viewer, paths });
    if (answer !== 'answered') send(response, answer ?? nothingHere(), { paths, viewer });
  };

  const json: PageHandlers['json'] = (scope, read) =>
    page(scope, async (visit) => {
      const record = await read(visit);
      if (record === undefined) return undefined;
      visit.response.set('Cache-Control', 'no-store').json(record);
      return 'answered';
    });

  const form: PageHandlers['form'] = (handle, needsWrite = true) =>
    page('organization', async (visit) => {
      requireOwnForm(options, visit.request, { viewer: visit.viewer, needsWrite });
      await handle(visit);
      visit.response.redirect(303, ownPath(visit.paths, field(visit.request, 'next')));
      return 'answered';
    });

  return { send, page, json, form, failed: failureTeller(publicUrl, send) };
}

function failureTeller(publicUrl: string, send: PageHandlers['send']): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const told = tellable(error);
    // What is no failure of the visitor's is logged and answered where all such errors are.
    if (told === undefined || response.headersSent) {
      next(error);
      return;
    }
    const slug = /^\/([^/]+)/.exec(request.path)?.[1] ?? '';
    send(response, told, { paths: pathsOf(publicUrl, isSlug(slug) ? slug : 'unknown') });
  };
}

export const slugOf = (request: Request) => String(request.params['slug']);

function nothingHere(): ResultsPage {
  return messagePage('Nothing here', 'This organization has nothing of this address.', 404);
}

/** A failure in words that its causer may read; undefined for faults of the service. */
function tellable(error: unknown): ResultsPage | undefined {
  if (error instanceof Failure && error.status < 500) {
    const title = error.status === 404 ? 'Nothing here' : 'Not possible';
    return messagePage(title, Object.values(error.errors).flat().join(' '), error.status);
  }
  // The form parser's own errors: too large, malformed.
  if (error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500) {
    return messagePage('Not possible', 'This form could not be read.', error.status);
  }
  return undefined;
}
