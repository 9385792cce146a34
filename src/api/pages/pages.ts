/** The results pages, which `html_url` opens. */
import express, { type Request, type Router } from 'express';
import { Failure } from '../../domain/failure.ts';
import { isSlug, isUuid } from '../../domain/slugs.ts';
import { readProgress } from '../../store/sets/readSet.ts';
import type { SetAction } from '../../workflow/reviews.ts';
import { readAdRecord, readSetRecord } from '../presenters/readRecords.ts';
import { actOnSet, replay } from './actions.ts';
import { adPage } from './adPage.ts';
import { serveAsset } from './assets.ts';
import type { PagesOptions } from './context.ts';
import { formField } from './forms.ts';
import { listPage } from './listPage.ts';
import { adSource, LiveConnections, setSource } from './live.ts';
import { billingPage, welcomePage } from './messagePages.ts';
import { createPageHandlers, type PageHandlers, slugOf, type ViewerRequest } from './pageHandlers.ts';
import { pathsOf } from './paths.ts';
import { setPage } from './setPage.ts';
import { cookieOptions, signIn } from './signIn.ts';
import { COOKIE, findViewer } from './viewer.ts';

export type { PagesOptions } from './context.ts';

const FORM = { extended: false, limit: '64kb', parameterLimit: 20 };
const SET_ACTIONS: readonly SetAction[] = ['approve', 'reject', 'cancel'];

/** Serves /, /o/:slug… and /assets/…. Mount it at the root of the public API. */
export function createPages(options: PagesOptions): Router {
  const router = express.Router();
  const handlers = createPageHandlers(options);
  const live = new LiveConnections(options);
  router.param('slug', (_request, _response, next, slug: string) => next(isSlug(slug) ? undefined : unknownPage()));
  router.param('id', (_request, _response, next, id: string) => next(isUuid(id) ? undefined : unknownPage()));
  router.get('/', (_request, response) => {
    const paths = pathsOf(options.publicUrl, '');
    handlers.send(response, welcomePage(paths.base), { paths });
  });
  router.get('/assets/:name', serveAsset);
  addListAndSessionRoutes(router, options, handlers);
  addSetRoutes(router, options, { handlers, live });
  addAdRoutes(router, options, { handlers, live });
  router.use('/o', handlers.handleError);
  return router;
}

interface RouteTools {
  readonly handlers: PageHandlers;
  readonly live: LiveConnections;
}

function addListAndSessionRoutes(router: Router, options: PagesOptions, handlers: PageHandlers): void {
  const body = express.urlencoded(FORM);
  router.get(
    '/o/:slug',
    handlers.page('organization', ({ request, viewer, paths }) =>
      listPage(options, { viewer, paths, page: pageOf(request) }),
    ),
  );
  router.get('/o/:slug/billing', (request, response) => {
    const slug = slugOf(request);
    handlers.send(response, billingPage(slug, options.contact), { paths: pathsOf(options.publicUrl, slug) });
  });
  router.post('/o/:slug/sign-in', body, async (request, response) => {
    const paths = pathsOf(options.publicUrl, slugOf(request));
    const signInAgain = await signIn(options, { request, response, paths });
    if (signInAgain !== undefined) handlers.send(response, signInAgain, { paths });
  });
  const signOut = ({ response, paths }: ViewerRequest) => {
    response.clearCookie(COOKIE, cookieOptions(options.publicUrl, paths));
    return Promise.resolve();
  };
  router.post('/o/:slug/sign-out', body, handlers.form(signOut, false));
  const replayFromForm = ({ request, viewer }: ViewerRequest) => replay(options, viewer, idOf(request));
  router.post('/o/:slug/deliveries/:id/replay', body, handlers.form(replayFromForm));
}

function addSetRoutes(router: Router, options: PagesOptions, { handlers, live }: RouteTools): void {
  const { db } = options.store;
  const path = '/o/:slug/screenshot_sets/:id';
  router.get(
    `${path}.json`,
    handlers.json('set', (pageRequest) => readSetRecord(db, recordQuery(options, pageRequest))),
  );
  router.get(
    path,
    handlers.page('set', ({ request, viewer, paths }) => {
      const share = viewer.sharedSet !== undefined ? String(request.query['s']) : '';
      return setPage(options, idOf(request), { viewer, paths, page: pageOf(request), share });
    }),
  );
  router.get(
    `${path}/events`,
    handlers.page('set', async ({ request, response, viewer }) => {
      const id = idOf(request);
      if ((await readProgress(db, { id, organizationId: viewer.organizationId })) === undefined) return undefined;
      await live.open(
        response,
        viewer.organizationId,
        setSource(options, id, () => findViewer(options, request)),
      );
      return 'sent';
    }),
  );
  const body = express.urlencoded(FORM);
  for (const action of SET_ACTIONS) {
    const act = ({ request, viewer }: ViewerRequest) =>
      actOnSet(options, viewer, { id: idOf(request), action, notes: formField(request, 'notes') });
    router.post(`${path}/${action}`, body, handlers.form(act));
  }
}

function addAdRoutes(router: Router, options: PagesOptions, { handlers, live }: RouteTools): void {
  const path = '/o/:slug/ads/:id';
  router.get(
    `${path}.json`,
    handlers.json('organization', (pageRequest) => readAdRecord(options.store.db, recordQuery(options, pageRequest))),
  );
  router.get(
    path,
    handlers.page('organization', ({ request, viewer, paths }) => adPage(options, idOf(request), { viewer, paths })),
  );
  router.get(
    `${path}/events`,
    handlers.page('organization', async ({ request, response, viewer }) => {
      await live.open(
        response,
        viewer.organizationId,
        adSource(options, idOf(request), () => findViewer(options, request)),
      );
      return 'sent';
    }),
  );
}

function recordQuery({ publicUrl }: PagesOptions, { request, viewer }: ViewerRequest) {
  return { id: idOf(request), publicUrl, organizationId: viewer.organizationId };
}

const idOf = (request: Request) => String(request.params['id']).toLowerCase();

function pageOf(request: Request): number {
  const page = Number(request.query['page'] ?? 1);
  return Number.isSafeInteger(page) && page > 0 && page < 1_000_000 ? page : 1;
}

function unknownPage(): Failure {
  return new Failure({ status: 404, code: 'unknown_page', errors: { path: ['There is no page at this address.'] } });
}
