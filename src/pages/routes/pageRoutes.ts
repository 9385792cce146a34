/** The routes of the pages: finds the viewer, checks the scope and the form, and sends the page. */
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { COST } from '../../api/limits/costs.ts';
import { inTurnOfSet } from '../../api/limits/turns.ts';
import { actorOf, requestIdOf } from '../../api/server/caller.ts';
import { failureBody } from '../../api/server/failureBody.ts';
import { rejectRemoved } from '../../core/removal/removal.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { Failure } from '../../domain/failure.ts';
import type { Permission } from '../../domain/roles.ts';
import { isUuid } from '../../domain/slugs.ts';
import { createGuard, type Guard } from '../../egress/guard.ts';
import { html } from '../../lib/html.ts';
import type { PagesOptions, ResultsPage, Viewer } from '../parts/context.ts';
import {
  formField,
  type Notice,
  noticeOf,
  redirectPath,
  requireOwnForm,
  requirePermission,
  withNotice,
} from '../parts/forms.ts';
import { type LayoutOptions, messagePage, notePage, sendPage } from '../parts/layout.ts';
import { LiveConnections, type LiveSource } from '../parts/live.ts';
import { isForPrograms, type PagePaths, pathsOf } from '../parts/paths.ts';
import { signInPage } from '../signIn/signIn.ts';
import { findSignedIn, findViewer } from '../signIn/viewer.ts';
import { waysOf } from '../signIn/ways.ts';

/** A request of a viewer who may see this organization. */
export interface ViewerRequest {
  readonly request: Request;
  readonly response: Response;
  readonly viewer: Viewer;
  /** The viewer, for the audit log. */
  readonly actor: Actor;
  readonly paths: PagePaths;
}

/** The page, 'sent' if the response was sent, or undefined if there is no such object. */
export type PageResult = ResultsPage | 'sent' | undefined;
type PageHandler = (given: ViewerRequest) => Promise<PageResult> | PageResult;

interface RouteOptions {
  /** The permission that the viewer needs: "read" for a page and "write" for a form unless given. */
  readonly scope?: Permission;
  /** Tokens of the key; 1 unless given. */
  readonly cost?: number;
  /** Whether it reads all pictures of the set, or of the set of the picture, in its path. It waits for its turn if the set is large. */
  readonly readsSet?: boolean;
  /** Maximum number of fields of the form. */
  readonly fields?: number;
  /** Whether the handler reads the body and checks with requireOwnForm that the form is from this service. A page has the same path. */
  readonly readsBody?: boolean;
}

/** The pages and forms of settings. */
export const ADMIN: RouteOptions = { scope: 'admin' };
/** The forms of reviewers. */
export const REVIEW: RouteOptions = { scope: 'review' };

export class PageRoutes {
  readonly options: PagesOptions;
  readonly router: Router;
  readonly live: LiveConnections;
  /** Checks the addresses of connectors and test events. */
  readonly guard: Pick<Guard, 'resolve'>;

  constructor(options: PagesOptions, router: Router) {
    this.options = options;
    this.router = router;
    this.live = new LiveConnections(options);
    this.guard = options.guard ?? createGuard({ allow: [] });
  }

  readonly send = (response: Response, page: ResultsPage, given: Omit<LayoutOptions, 'pictureOrigins'>): void =>
    sendPage(response, page, { ...given, pictureOrigins: this.options.pictureOrigins ?? [] });

  get(path: string, handle: PageHandler, options: RouteOptions = {}): void {
    this.router.get(path, this.#page(handle, options));
  }

  /** A form. Its handler shows a page or ends with {@link redirectTo} or {@link goBack}. */
  post(path: string, handle: PageHandler, options: RouteOptions = {}): void {
    const { scope = 'write', readsBody = false, fields = 20 } = options;
    const answer = this.#page(
      (given) => {
        if (!readsBody) requireOwnForm(given.request, given.viewer.formToken);
        return handle(given);
      },
      { ...options, scope },
    );
    if (readsBody) this.router.post(path, answer);
    else this.router.post(path, formBody(fields), answer);
  }

  /** @param read an object or its JSON; undefined if there is no such object. */
  json(
    path: string,
    read: (given: ViewerRequest) => Promise<object | string | undefined>,
    options: RouteOptions = {},
  ): void {
    const send = async (given: ViewerRequest): Promise<PageResult> => {
      const found = await read(given);
      if (found === undefined) return undefined;
      const text = typeof found === 'string' ? found : JSON.stringify(found);
      given.response.set('Cache-Control', 'no-store').type('json').send(text);
      return 'sent';
    };
    this.get(path, send, options);
  }

  /** A stream of changes. */
  events(path: string, sourceOf: (given: ViewerRequest) => LiveSource, options: RouteOptions = {}): void {
    const { scope = 'read' } = options;
    const open = async (given: ViewerRequest): Promise<PageResult> => {
      const { request, response, viewer } = given;
      const source = sourceOf(given);
      if (!(await source.exists())) return undefined;
      const hasAccess = async () => (await findViewer(this.options, request))?.scopes.includes(scope) === true;
      await this.live.open(response, viewer, source, hasAccess);
      return 'sent';
    };
    this.get(path, open, { cost: COST.list, ...options });
  }

  #page(handle: PageHandler, route: RouteOptions): RequestHandler {
    const { scope = 'read', cost = COST.usual, readsBody = false, readsSet = false } = route;
    const { options } = this;
    return async (request, response) => {
      const paths = pathsOf(options.publicUrl, slugOf(request));
      const viewer = await findViewer(options, request);
      if (viewer === undefined) {
        await this.#askToSignIn(request, response, { paths, readsBody });
        return;
      }
      if (viewer.disabled) {
        this.send(response, { ...billingPage(viewer.slug, options.contact), status: 403 }, { paths, viewer });
        return;
      }
      await options.requestLimits?.take(rateKeyOf(viewer), cost, response);
      if (scope === 'admin' && !viewer.scopes.includes('admin')) {
        this.send(response, adminsOnly(viewer), { paths, viewer });
        return;
      }
      requirePermission(viewer, scope);
      const type = viewer.formToken === '' ? 'api_key' : 'session';
      const actor = actorOf({ request, response }, { type, keyId: viewer.keyId, userId: viewer.userId });
      const given = { request, response, viewer, actor, paths };
      const show = async () => handle(given);
      const result = await (readsSet ? inTurnOfSet(options.store.db, { ...refOf(given), response }, show) : show());
      if (result === undefined) await this.#rejectRemovedObject(request, viewer);
      if (result === 'sent') return;
      this.send(response, result ?? notFoundPage(viewer), { paths, viewer, notice: noticeOf(request) });
    };
  }

  /** @throws Failure (410) if the address names an object that was removed. */
  async #rejectRemovedObject(request: Request, { organizationId }: Viewer): Promise<void> {
    const id = String(request.params['id'] ?? '').toLowerCase();
    if (isUuid(id)) await rejectRemoved(this.options.store.db, { id, organizationId });
  }

  /** Scripts and programs get 401 instead of a page. After a form, the person returns to the page that sent it. */
  async #askToSignIn(
    request: Request,
    response: Response,
    { paths, readsBody }: { readonly paths: PagePaths; readonly readsBody: boolean },
  ): Promise<void> {
    if (isForPrograms(request.path)) {
      const errors = { authorization: ['is required: send an API key, or sign in.'] };
      response.status(401).set({ 'WWW-Authenticate': 'Bearer', 'Cache-Control': 'no-store' });
      response.json(failureBody('unauthorized', requestIdOf(response), errors));
      return;
    }
    const lostForm = request.method === 'POST' && !request.path.endsWith('/sign-out');
    const isOwnPath = request.method !== 'POST' || readsBody;
    const next = redirectPath(paths, isOwnPath ? paths.base + request.url : formField(request, 'next'));
    const person = await findSignedIn(this.options.store.db, request);
    const form = { next, lostForm, ways: waysOf(this.options), stranger: person?.name };
    this.send(response, signInPage(paths, slugOf(request), form), { paths });
  }
}

/** The answer to a viewer who may not change settings. It has no forms. */
function adminsOnly({ keyId }: Viewer): ResultsPage {
  const text =
    keyId === null
      ? 'Only owners of the organization can change its settings. An owner can change your role.'
      : 'The key that you signed in with lacks the scope "admin". Sign out, then sign in with a key that has it.';
  return messagePage('Only for administrators', text, 403);
}

/** Names the bucket of the requests of a viewer. */
export const rateKeyOf = ({ keyId, userId }: Viewer): string => keyId ?? `user ${userId}`;

/** Ends a form that succeeded. */
export function redirectTo({ response }: Pick<ViewerRequest, 'response'>, path: string, notice?: Notice): 'sent' {
  response.redirect(303, notice === undefined ? path : withNotice(path, notice));
  return 'sent';
}

/** Ends a form that succeeded, on the page that it names in its field "next". */
export function goBack(given: ViewerRequest): 'sent' {
  return redirectTo(given, redirectPath(given.paths, formField(given.request, 'next')));
}

export const slugOf = (request: Request) => String(request.params['slug']);

function notFoundPage({ slug }: Viewer): ResultsPage {
  return messagePage('Page not found', `The organization ${slug} has no page at this address.`, 404);
}

const FORM_BYTES = 64 * 1024;

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

/** @returns the id in the path with the organization of the viewer. */
export const refOf = ({ request, viewer }: Pick<ViewerRequest, 'request' | 'viewer'>) => ({
  ...{ id: idOf(request), organizationId: viewer.organizationId },
});

/** @returns the number of the list page in the query, from 1; 1 if it is missing or not such a number. */
export function pageOf(request: { readonly query: Readonly<Record<string, unknown>> }): number {
  const page = Number(request.query['page'] ?? 1);
  return Number.isSafeInteger(page) && page > 0 && page < 1_000_000 ? page : 1;
}

export function recordQuery({ publicUrl }: PagesOptions, given: ViewerRequest) {
  return { ...refOf(given), publicUrl };
}

/** Says what a disabled organization is, and how to upgrade it. */
export function billingPage(slug: string, contact: string | undefined): ResultsPage {
  const operator = contact === undefined ? '.' : html`: <strong>${contact}</strong>.`;
  const command = html`<code>tearsheet org enable ${slug}</code>`;
  const text = html`<p>An organization without an active subscription is disabled.
      The service rejects its requests, but finishes and keeps what it accepted before.</p>
    <p>To upgrade <strong>${slug}</strong>, contact the operator of this service${operator} Mention the name of the organization.
      Access is restored as soon as the operator enables it (${command}).</p>`;
  return { ...notePage('Keep using Tearsheet', text), title: 'Upgrade' };
}
