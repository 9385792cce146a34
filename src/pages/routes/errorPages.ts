/** Shows errors as pages to people, at all addresses but those of the API. */
import type { ErrorRequestHandler, Request } from 'express';
import { noteQuota } from '../../api/server/accessLog.ts';
import { requestIdOf } from '../../api/server/caller.ts';
import { type HttpError, httpErrorOf } from '../../api/server/errors.ts';
import { Failure } from '../../domain/failure.ts';
import { isSlug } from '../../domain/slugs.ts';
import { type Language, textsOf } from '../../domain/texts/languages.ts';
import { html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage } from '../parts/context.ts';
import { notePage, sendPage } from '../parts/layout.ts';
import { isForPrograms, pathsOf } from '../parts/paths.ts';
import { browserLanguage } from '../parts/words.ts';
import { findViewerOf, type ViewerOptions } from '../signIn/viewer.ts';

type ErrorPageOptions = Pick<PagesOptions, 'publicUrl' | 'log' | 'pictureOrigins'> & ViewerOptions;

/** Mount it after all routes and before the error handler of the API, which answers programs. */
export function createErrorPages(options: ErrorPageOptions): ErrorRequestHandler {
  const { publicUrl, log, pictureOrigins = [] } = options;
  return async (error: unknown, request, response, next) => {
    if (response.headersSent || !wantsPage(request)) {
      next(error);
      return;
    }
    const httpError = httpErrorOf(error);
    const requestId = requestIdOf(response);
    noteQuota(response, httpError.code);
    const isOurs = httpError.status >= 500;
    if (isOurs) log.error({ err: error, request_id: requestId, code: httpError.code }, 'request failed');
    const slug = slugOf(request);
    // The database may be the cause of an error of the service.
    const viewer =
      isOurs || httpError.status === 429 || slug === undefined ? undefined : await findViewerOf(options, request, slug);
    const paths = pathsOf(publicUrl, slug ?? '');
    const [share = '/'] = /^\/s\/[^/]+/.exec(request.path) ?? [];
    const home = slug === undefined ? paths.base + share : paths.organization;
    response.removeHeader('Content-Length');
    response.removeHeader('ETag');
    response.set(httpError.headers);
    const language: Language = response.locals['language'] ?? browserLanguage(request);
    const ownPage = isOurs ? failurePage(httpError, requestId) : rejectionPage(error, httpError, home);
    const page = isShared(request) ? sharedErrorPage(httpError, home, language) : ownPage;
    sendPage(response, { ...page, isShared: isShared(request) }, { paths, viewer, pictureOrigins });
  };
}

const isShared = ({ path }: Request) => path.startsWith('/s/');

function wantsPage(request: Request): boolean {
  const { path } = request;
  if (path === '/api' || path.startsWith('/api/') || isForPrograms(path)) return false;
  // A program that accepts anything gets JSON, except at the addresses of pages.
  return path.startsWith('/o/') || isShared(request) || request.accepts(['json', 'html']) === 'html';
}

function slugOf({ path }: Request): string | undefined {
  const slug = /^\/o\/([^/]+)/.exec(path)?.[1] ?? '';
  return isSlug(slug) ? slug : undefined;
}

function failurePage({ status, code, message }: HttpError, requestId: string): ResultsPage {
  const reason = code === 'unavailable' ? message : 'The service could not show this page.';
  const body = html`<p>${reason} Try again in a moment.</p>
    <p class="hint">If this happens again, give the operator the id of this request: <code>${requestId}</code></p>`;
  return notePage('Something went wrong', body, status);
}

function rejectionPage(error: unknown, { status, code, message }: HttpError, home: string): ResultsPage {
  const back = html`<p><a href="${home}">Go to the start page</a></p>`;
  if (status === 404) {
    const isUnknown = code === 'unknown_path';
    const text = isUnknown ? 'There is no page at this address. Check that it is complete.' : message;
    return notePage('Page not found', html`<p>${text}</p>${back}`, status);
  }
  if (status === 410) return notePage('Removed', html`<p>${message}</p>${back}`, status);
  // Other errors of clients come from the parsers of addresses and forms.
  const unreadable = error instanceof URIError ? 'This address could not be read.' : 'This form could not be read.';
  const text = error instanceof Failure ? message : unreadable;
  return notePage('Request rejected', html`<p>${text}</p>${back}`, status);
}

/** For clients. @param home the link. */
function sharedErrorPage({ status, code }: HttpError, home: string, language: Language): ResultsPage {
  const { share, parts } = textsOf(language);
  const text = Object.entries(share.errors).find(([name]) => name === code)?.[1] ?? share.errors.other;
  const body = html`<p>${text}</p><p><a href="${home}">${parts.download.page.back}</a></p>`;
  return { ...notePage(share.errors.title, body, status), language };
}
