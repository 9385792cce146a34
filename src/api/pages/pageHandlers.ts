/** Wraps the handlers of pages: finds the viewer, sends the page, and shows errors as pages. */
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { Failure, failureMessage } from '../../domain/failure.ts';
import { isSlug } from '../../domain/slugs.ts';
import type { PagesOptions, ResultsPage, Viewer } from './context.ts';
import { formField, redirectPath, requireOwnForm } from './forms.ts';
import { sendPage } from './layout.ts';
import { billingPage, messagePage } from './messagePages.ts';
import { type PagePaths, pathsOf } from './paths.ts';
import { signInPage } from './signIn.ts';
import { findViewer } from './viewer.ts';

/** A request of a viewer who may see this organization. */
export interface ViewerRequest {
  readonly request: Request;
  readonly response: Response;
  readonly viewer: Viewer;
  readonly paths: PagePaths;
}

/** `set`: also for viewers with a share link. */
type PageScope = 'set' | 'organization';
/** Returns the page, 'sent' if it has sent the response itself, or undefined if there is no such object. */
type PageHandler = (request: ViewerRequest) => Promise<ResultsPage | 'sent' | undefined>;

export interface PageHandlers {
  send(response: Response, page: ResultsPage, given: { paths: PagePaths; viewer?: Viewer | undefined }): void;
  page(scope: PageScope, handle: PageHandler): RequestHandler;
  json(scope: PageScope, read: (request: ViewerRequest) => Promise<object | undefined>): RequestHandler;
  /** Handles a POST and then redirects to a page. @param needsWrite whether the key needs the scope "write". */
  form(handle: (request: ViewerRequest) => Promise<void>, needsWrite?: boolean): RequestHandler;
  readonly handleError: ErrorRequestHandler;
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
    const result = await handle({ request, response, viewer, paths });
    if (result !== 'sent') send(response, result ?? notFoundPage(viewer), { paths, viewer });
  };

  const json: PageHandlers['json'] = (scope, read) =>
    page(scope, async (pageRequest) => {
      const record = await read(pageRequest);
      if (record === undefined) return undefined;
      pageRequest.response.set('Cache-Control', 'no-store').json(record);
      return 'sent';
    });

  const form: PageHandlers['form'] = (handle, needsWrite = true) =>
    page('organization', async (pageRequest) => {
      const { request, response, viewer, paths } = pageRequest;
      requireOwnForm(options, request, { viewer, needsWrite });
      await handle(pageRequest);
      response.redirect(303, redirectPath(paths, formField(request, 'next')));
      return 'sent';
    });

  return { send, page, json, form, handleError: errorPages(publicUrl, send) };
}

function errorPages(publicUrl: string, send: PageHandlers['send']): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const page = errorPage(error);
    // The error handler of the API logs and answers errors of the service.
    if (page === undefined || response.headersSent) {
      next(error);
      return;
    }
    const slug = /^\/([^/]+)/.exec(request.path)?.[1] ?? '';
    send(response, page, { paths: pathsOf(publicUrl, isSlug(slug) ? slug : 'unknown') });
  };
}

export const slugOf = (request: Request) => String(request.params['slug']);

function notFoundPage({ slug }: Viewer): ResultsPage {
  return messagePage('Page not found', `The organization ${slug} has no page at this address.`, 404);
}

/** @returns a page for errors that the visitor caused; undefined for errors of the service. */
function errorPage(error: unknown): ResultsPage | undefined {
  if (error instanceof Failure && error.status < 500) {
    const title = error.status === 404 ? 'Page not found' : 'Request rejected';
    return messagePage(title, failureMessage(error), error.status);
  }
  // The form parser throws these: too large, malformed.
  if (error instanceof Error && 'status' in error && typeof error.status === 'number' && error.status < 500) {
    return messagePage('Request rejected', 'This form could not be read.', error.status);
  }
  return undefined;
}
