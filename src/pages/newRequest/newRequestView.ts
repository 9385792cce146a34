/** Reads all that the page of a new request shows beside the draft. */
import { listAds } from '../../core/ads/listAds.ts';
import { readDraftAds } from '../../core/ads/readAd.ts';
import type { listDrafts } from '../../core/requests/drafts.ts';
import { listNames } from '../../core/requests/savedObjects.ts';
import { listCampaigns } from '../../core/sets/campaigns.ts';
import { DRAFT_CAMPAIGN } from '../../domain/campaigns.ts';
import type { Html } from '../../lib/html.ts';
import type { PagesOptions } from '../parts/context.ts';
import { selectField } from '../parts/formFields.ts';
import { locationChoices } from '../parts/locationChoice.ts';
import type { ViewerRequest } from '../routes/pageRoutes.ts';
import { type Draft, FieldFaults } from './draft.ts';
import { readWanted } from './requestBody.ts';

export interface Shown {
  readonly draft: Draft;
  readonly faults?: FieldFaults;
  readonly notice?: Html | string | undefined;
  /** Other drafts of the viewer. */
  readonly others?: Awaited<ReturnType<typeof listDrafts>> | undefined;
}

const ADS_FOUND = 12;
const CAMPAIGNS_OFFERED = 100;

export type NewRequestView = Awaited<ReturnType<typeof readView>>;

export async function readView(options: PagesOptions, { viewer, paths }: ViewerRequest, shown: Shown) {
  const { organizationId } = viewer;
  const { db } = options.store;
  const { draft, faults = new FieldFaults() } = shown;
  const search = { organizationId, text: draft.search, status: 'uploaded' as const };
  const [ads, found, templates, siteLists, { rows }] = await Promise.all([
    readDraftAds(db, { organizationId, ids: draft.adIds }),
    listAds(db, search, { page: 1, perPage: ADS_FOUND }),
    listNames(db, 'request_templates', organizationId),
    listNames(db, 'site_lists', organizationId),
    listCampaigns(db, { organizationId }, { page: 1, perPage: CAMPAIGNS_OFFERED }),
  ]);
  const campaigns = rows.map(({ name }) => name).filter((name) => name !== DRAFT_CAMPAIGN);
  // Faults of what is not finished are shown when the person asks for the pictures.
  const wanted = await readWanted(options, { organizationId, draft, ads, faults: new FieldFaults() });
  const choices = locationChoices(options, 'Direct');
  const chosen = { name: 'location', label: 'Location', value: draft.location };
  const location = choices && selectField({ ...chosen, choices }, faults.form);
  const view = { viewer, paths, ads, found: found.rows, templates, siteLists, campaigns, wanted, location };
  return { ...view, ...shown, faults };
}
