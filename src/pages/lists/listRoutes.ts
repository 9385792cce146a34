/** Routes of the lists and of the actions on them. */
import type { Request } from 'express';
import { COST } from '../../api/limits/costs.ts';
import type { ResultsPage } from '../parts/context.ts';
import { formField, formFields } from '../parts/forms.ts';
import { addressOf } from '../parts/paths.ts';
import { idOf, type PageRoutes, type ViewerRequest } from '../routes/pageRoutes.ts';
import { hasEmptyParameters } from '../tables/listQuery.ts';
import { adsPage } from './adsPage.ts';
import { bulkResultPage, confirmationPage } from './bulk.ts';
import { campaignPage, campaignsPage } from './campaignsPage.ts';
import { listSource, readSetListQuery, setsPage } from './setsPage.ts';

/** One list page has 25 sets. */
const BULK_FIELDS_MAX = 200;

export function addListRoutes(pages: PageRoutes): void {
  const { options } = pages;
  pages.get('/o/:slug', (given) => {
    given.response.redirect(302, given.paths.campaigns);
    return 'sent';
  });
  const list = (path: string, show: (given: ViewerRequest) => Promise<ResultsPage>) =>
    pages.get(
      path,
      (given) => {
        const { request, response, paths } = given;
        if (!hasEmptyParameters(request.query)) return show(given);
        response.redirect(302, addressOf(paths.base + request.path, textsOf(request)));
        return 'sent';
      },
      { cost: COST.list },
    );
  list('/o/:slug/screenshot_sets', (given) => setsPage(options, readSetListQuery(given.request.query), given));
  list('/o/:slug/ads', (given) => adsPage(options, given.request.query, given));
  list('/o/:slug/campaigns', (given) => campaignsPage(options, given.request.query, given));
  pages.get('/o/:slug/campaigns/:id', (given) => campaignPage(options, idOf(given.request), given));
  const bulkPath = '/o/:slug/screenshot_sets/bulk';
  pages.get(bulkPath, ({ request, viewer, paths }) => {
    const { action, set, back } = request.query;
    const ids = (Array.isArray(set) ? set : [set]).filter((id) => typeof id === 'string');
    return confirmationPage(options, { viewer, paths, action, ids, back: typeof back === 'string' ? back : '' });
  });
  pages.post(
    bulkPath,
    ({ request, viewer, actor, paths }) => {
      const field = (name: string) => formField(request, name);
      const bulk = { viewer, paths, action: field('action'), ids: formFields(request, 'set'), back: field('back') };
      return bulkResultPage(options, bulk, { notes: field('notes'), actor });
    },
    { fields: BULK_FIELDS_MAX },
  );
  pages.events('/o/:slug/screenshot_sets/events', ({ request }, findViewer) => {
    const time = new Date(String(request.query['since']));
    const since = Number.isNaN(time.getTime()) ? undefined : time;
    return listSource(options, readSetListQuery(request.query), { since, findViewer });
  });
}

function textsOf({ query }: Request): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
