/** The web pages behind `html_url`. */
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
import { listPage } from './listPage.ts';
import { LiveConnections } from './live.ts';
import { billingPage, welcomePage } from './messagePages.ts';
import { createPageHandlers, type PageHandlers, type PageRequest, slugOf } from './pageHandlers.ts';
import { pathsOf } from './paths.ts';
import { setPage } from './setPage.ts';
import { cookieOptions, field, signIn } from './signIn.ts';
import { COOKIE, findViewer } from './viewer.ts';
import { watchAd, watchSet } from './watching.ts';

export type { PagesOptions } from './context.ts';

const FORM = { extended: false, limit: '64kb', parameterLimit: 20 };
const SET_ACTIONS: readonly SetAction[] = ['approve', 'reject', 'cancel'];

/** Serves /, /o/:slug… and /assets/…; to be mounted at the root of the public API. */
export function createPages(options: PagesOptions): Router {
  const router = express.Router();
  const visits = createPageHandlers(options);
  const live = new LiveConnections(options);
  router.param('slug', (_request, _response, next, slug: string) => next(isSlug(slug) ? undefined : unknownPage()));
  router.param('id', (_request, _response, next, id: string) => next(isUuid(id) ? undefined : unknownPage()));
  router.get('/', (_request, response) => {
    const paths = pathsOf(options.publicUrl, '');
    visits.send(response, welcomePage(paths.base), { paths });
  });
  router.get('/assets/:name', serveAsset);
  addListAndSessions(router, options, visits);
  addSets(router, options, { visits, live });
  addAds(router, options, { visits, live });
  router.use('/o', visits.failed);
  return router;
}

interface Means {
  readonly visits: PageHandlers;
  readonly live: LiveConnections;
}

function addListAndSessions(router: Router, options: PagesOptions, visits: PageHandlers): void {
  const body = express.urlencoded(FORM);
  router.get(
    '/o/:slug',
    visits.page('organization', ({ request, viewer, paths }) =>
      listPage(options, { viewer, paths, page: pageOf(request) }),
    ),
  );
  router.get('/o/:slug/billing', (request, response) => {
    const slug = slugOf(request);
    visits.send(response, billingPage(slug, options.contact), { paths: pathsOf(options.publicUrl, slug) });
  });
  router.post('/o/:slug/sign-in', body, async (request, response) => {
    const paths = pathsOf(options.publicUrl, slugOf(request));
    const again = await signIn(options, { request, response, paths });
    if (again !== undefined) visits.send(response, again, { paths });
  });
  const signOut = ({ response, paths }: PageRequest) => {
    response.clearCookie(COOKIE, cookieOptions(options.publicUrl, paths));
    return Promise.resolve();
  };
  router.post('/o/:slug/sign-out', body, visits.form(signOut, false));
  const replayFromForm = ({ request, viewer }: PageRequest) => replay(options, viewer, idOf(request));
  router.post('/o/:slug/deliveries/:id/replay', body, visits.form(replayFromForm));
}

function addSets(router: Router, options: PagesOptions, { visits, live }: Means): void {
  const { db } = options.store;
  const path = '/o/:slug/screenshot_sets/:id';
  router.get(
    `${path}.json`,
    visits.json('set', (visit) => readSetRecord(db, recordQuery(options, visit))),
  );
  router.get(
    path,
    visits.page('set', ({ request, viewer, paths }) => {
      const share = viewer.sharedSet !== undefined ? String(request.query['s']) : '';
      return setPage(options, idOf(request), { viewer, paths, page: pageOf(request), share });
    }),
  );
  router.get(
    `${path}/events`,
    visits.page('set', async ({ request, response, viewer }) => {
      const id = idOf(request);
      if ((await readProgress(db, { id, organizationId: viewer.organizationId })) === undefined) return undefined;
      await live.watch(
        response,
        viewer.organizationId,
        watchSet(options, id, () => findViewer(options, request)),
      );
      return 'answered';
    }),
  );
  const body = express.urlencoded(FORM);
  for (const action of SET_ACTIONS) {
    const act = ({ request, viewer }: PageRequest) =>
      actOnSet(options, viewer, { id: idOf(request), action, notes: field(request, 'notes') });
    router.post(`${path}/${action}`, body, visits.form(act));
  }
}

function addAds(router: Router, options: PagesOptions, { visits, live }: Means): void {
  const path = '/o/:slug/ads/:id';
  router.get(
    `${path}.json`,
    visits.json('organization', (visit) => readAdRecord(options.store.db, recordQuery(options, visit))),
  );
  router.get(
    path,
    visits.page('organization', ({ request, viewer, paths }) => adPage(options, idOf(request), { viewer, paths })),
  );
  router.get(
    `${path}/events`,
    visits.page('organization', async ({ request, response, viewer }) => {
      await live.watch(
        response,
        viewer.organizationId,
        watchAd(options, idOf(request), () => findViewer(options, request)),
      );
      return 'answered';
    }),
  );
}

function recordQuery({ publicUrl }: PagesOptions, { request, viewer }: PageRequest) {
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
