/** Routes of the page of a set and its actions. */
import type { Router } from 'express';
import { COST } from '../../api/limits/costs.ts';
import type { SetAction } from '../../core/reviews/reviews.ts';
import { readSetRecord } from '../../core/sets/readRecords.ts';
import { readProgress } from '../../core/sets/readSet.ts';
import { actOnSet, revokeShare, share } from '../actions.ts';
import type { PagesOptions } from '../context.ts';
import { formField } from '../forms.ts';
import { setSource } from '../live.ts';
import type { ViewerRequest } from '../pageHandlers.ts';
import { formBody, idOf, pageOf, type RouteTools, recordQuery } from '../routing.ts';
import { findViewer } from '../viewer.ts';
import { groupingOf } from './grouping.ts';
import { setPage } from './setPage.ts';
import { shownOf } from './shown.ts';

const SET_ACTIONS: readonly SetAction[] = ['approve', 'reject', 'cancel'];

export function addSetRoutes(router: Router, options: PagesOptions, { handlers, live }: RouteTools): void {
  const { db } = options.store;
  const path = '/o/:slug/screenshot_sets/:id';
  router.get(
    `${path}.json`,
    handlers.json('set', (pageRequest) => readSetRecord(db, recordQuery(options, pageRequest))),
  );
  router.get(
    path,
    handlers.page('set', ({ request, viewer, paths }) =>
      setPage(options, idOf(request), {
        ...{ viewer, paths },
        page: pageOf(request),
        by: groupingOf(request.query['group']),
        show: shownOf(request.query['show']),
      }),
    ),
  );
  router.get(
    `${path}/events`,
    handlers.page(
      'set',
      async ({ request, response, viewer }) => {
        const id = idOf(request);
        if ((await readProgress(db, { id, organizationId: viewer.organizationId })) === undefined) return undefined;
        await live.open(
          response,
          viewer.organizationId,
          setSource(options, id, () => findViewer(options, request)),
        );
        return 'sent';
      },
      COST.list,
    ),
  );
  const body = formBody();
  for (const action of SET_ACTIONS) {
    const act = ({ request, viewer }: ViewerRequest) =>
      actOnSet(options, viewer, { id: idOf(request), action, notes: formField(request, 'notes') });
    router.post(`${path}/${action}`, body, handlers.form(act));
  }
  const shareFromForm = ({ request, viewer, actor }: ViewerRequest) =>
    share(
      options,
      { viewer, actor },
      {
        id: idOf(request),
        label: formField(request, 'label'),
        days: formField(request, 'days'),
        downloads: formField(request, 'downloads') !== '',
      },
    );
  router.post(`${path}/shares`, body, handlers.form(shareFromForm));
  const revokeFromForm = ({ request, viewer, actor }: ViewerRequest) =>
    revokeShare(options, { viewer, actor }, { setId: idOf(request), id: String(request.params['share']) });
  router.post(`${path}/shares/:share/revoke`, body, handlers.form(revokeFromForm));
}
