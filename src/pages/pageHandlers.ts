/** Wraps the handlers of pages: finds the viewer and sends the page. */
import type { Request, RequestHandler, Response } from 'express';
import { COST } from '../api/limits/costs.ts';
import { actorOf, requestIdOf } from '../api/server/caller.ts';
import { failureBody } from '../api/server/failureBody.ts';
import { rejectRemoved } from '../core/removal/removal.ts';
import type { Actor } from '../domain/auditLog.ts';
import { isUuid } from '../domain/slugs.ts';
import type { PagesOptions, ResultsPage, Viewer } from './context.ts';
import { formField, redirectPath, requireOwnForm } from './forms.ts';
import { type LayoutOptions, sendPage } from './layout.ts';
import { billingPage, FORMER_LINK, messagePage } from './messagePages.ts';
import { noticeOf } from './notices.ts';
import { isForPrograms, type PagePaths, pathsOf } from './paths.ts';
import { signInPage } from './signIn.ts';
import { findViewer } from './viewer.ts';

/** A request of a viewer who may see this organization. */
export interface ViewerRequest {
  readonly request: Request;
  readonly response: Response;
  readonly viewer: Viewer;
  /** The viewer, for the audit log. */
  readonly actor: Actor;
  readonly paths: PagePaths;
}

/** `set`: share links of former versions had the address of such a page. */
type PageScope = 'set' | 'organization';
/** Returns the page, 'sent' if it has sent the response itself, or undefined if there is no such object. */
type PageHandler = (request: ViewerRequest) => Promise<ResultsPage | 'sent' | undefined>;

export interface PageHandlers {
  send(response: Response, page: ResultsPage, given: Omit<LayoutOptions, 'pictureOrigins'>): void;
  /** @param cost tokens of the key; 1 unless given. */
  page(scope: PageScope, handle: PageHandler, cost?: number): RequestHandler;
  json(scope: PageScope, read: (request: ViewerRequest) => Promise<object | undefined>): RequestHandler;
  /** Handles a POST and then redirects to a page. @param needsWrite whether the key needs the scope "write". */
  form(handle: (request: ViewerRequest) => Promise<void>, needsWrite?: boolean): RequestHandler;
  /** Handles a POST and shows a page, for results that no address has. The key needs the scope "write". */
  formPage(handle: (request: ViewerRequest) => Promise<ResultsPage>): RequestHandler;
}

export function createPageHandlers(options: PagesOptions): PageHandlers {
  const { publicUrl, contact, pictureOrigins = [] } = options;

  const send: PageHandlers['send'] = (response, page, given) => sendPage(response, page, { ...given, pictureOrigins });

  const page: PageHandlers['page'] =
    (scope, handle, cost = COST.usual) =>
    async (request, response) => {
      const paths = pathsOf(publicUrl, slugOf(request));
      const viewer = await findViewer(options, request);
      if (viewer === undefined && scope === 'set' && request.query['s'] !== undefined && !isForPrograms(request.path)) {
        send(response, FORMER_LINK, { paths });
        return;
      }
      if (viewer === undefined) {
        askToSignIn(request, response, { paths, send });
        return;
      }
      if (viewer.disabled) {
        send(response, { ...billingPage(viewer.slug, contact), status: 403 }, { paths, viewer });
        return;
      }
      await options.requestLimits?.take(viewer.keyId, cost, response);
      const type = viewer.formToken === '' ? 'api_key' : 'session';
      const actor = actorOf({ request, response }, { type, keyId: viewer.keyId });
      const result = await handle({ request, response, viewer, actor, paths });
      if (result === undefined) await rejectRemovedObject(options, request, viewer);
      const notice = noticeOf(request);
      if (result !== 'sent') send(response, result ?? notFoundPage(viewer), { paths, viewer, notice });
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

  const formPage: PageHandlers['formPage'] = (handle) =>
    page('organization', (pageRequest) => {
      requireOwnForm(options, pageRequest.request, { viewer: pageRequest.viewer, needsWrite: true });
      return handle(pageRequest);
    });

  return { send, page, json, form, formPage };
}

/** @throws Failure (410) if the address names an object that was removed. */
async function rejectRemovedObject({ store }: PagesOptions, request: Request, viewer: Viewer): Promise<void> {
  const id = String(request.params['id'] ?? '').toLowerCase();
  if (isUuid(id)) await rejectRemoved(store.db, { id, organizationId: viewer.organizationId });
}

/** Scripts and programs get 401 instead of a page. After a form, the person returns to the page that sent it. */
function askToSignIn(
  request: Request,
  response: Response,
  { paths, send }: { paths: PagePaths } & Pick<PageHandlers, 'send'>,
): void {
  if (isForPrograms(request.path)) {
    const errors = { authorization: ['is required: send an API key, or sign in.'] };
    response.status(401).set({ 'WWW-Authenticate': 'Bearer', 'Cache-Control': 'no-store' });
    response.json(failureBody('unauthorized', requestIdOf(response), errors));
    return;
  }
  const lostForm = request.method === 'POST' && !request.path.endsWith('/sign-out');
  const next = redirectPath(paths, request.method === 'POST' ? formField(request, 'next') : paths.base + request.url);
  send(response, signInPage(paths, slugOf(request), { next, lostForm }), { paths });
}

export const slugOf = (request: Request) => String(request.params['slug']);

function notFoundPage({ slug }: Viewer): ResultsPage {
  return messagePage('Page not found', `The organization ${slug} has no page at this address.`, 404);
}
