/** Routes of the lists. */
import { COST } from '../../api/limits/costs.ts';
import { changeCampaignLogo } from '../../core/sets/changes.ts';
import type { ResultsPage } from '../parts/context.ts';
import { addLogoForm } from '../routes/logoForms.ts';
import { type PageRoutes, redirectTo, refOf, type ViewerRequest } from '../routes/pageRoutes.ts';
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
  const campaign = '/o/:slug/campaigns/:id';
  pages.get(campaign, (given) => campaignPage(options, given));
  addLogoForm(pages, campaign, {
    scope: 'write',
    run: async (given, saveLogo) => {
      const ref = refOf(given);
      await saveLogo((tx, token) => changeCampaignLogo(tx, ref, { token, actor: given.actor }));
      return redirectTo(given, given.paths.campaign(ref.id), 'saved');
    },
    again: (given, form) => campaignPage(options, given, form),
  });
  pages.events('/o/:slug/screenshot_sets/events', ({ request, viewer: { organizationId } }) =>
    listSource(options, readSetListQuery(request.query), organizationId),
  );
}
