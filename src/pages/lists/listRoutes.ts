/** Routes of the lists. */
import { COST } from '../../api/limits/costs.ts';
import type { ResultsPage } from '../parts/context.ts';
import type { PageRoutes, ViewerRequest } from '../routes/pageRoutes.ts';
import { adsPage } from './adsPage.ts';
import { campaignPage, campaignsPage } from './campaignsPage.ts';
import { listSource, readSetListQuery, setsPage } from './setsPage.ts';

export function addListRoutes(pages: PageRoutes): void {
  const { options } = pages;
  pages.get('/o/:slug', (given) => {
    given.response.redirect(302, given.paths.campaigns);
    return 'sent';
  });
  const list = (path: string, show: (given: ViewerRequest) => Promise<ResultsPage>) =>
    pages.get(path, show, { cost: COST.list });
  list('/o/:slug/screenshot_sets', (given) => setsPage(options, readSetListQuery(given.request.query), given));
  list('/o/:slug/ads', (given) => adsPage(options, given.request.query, given));
  list('/o/:slug/campaigns', (given) => campaignsPage(options, given.request.query, given));
  pages.get('/o/:slug/campaigns/:id', (given) => campaignPage(options, given));
  pages.events('/o/:slug/screenshot_sets/events', ({ request, viewer: { organizationId } }) =>
    listSource(options, readSetListQuery(request.query), organizationId),
  );
}
