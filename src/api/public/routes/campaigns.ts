import { CampaignChange } from '../../../contract/changes.ts';
import { OURS } from '../../../contract/descriptions.ts';
import { CampaignsQuery } from '../../../contract/queries.ts';
import { CampaignRecord } from '../../../contract/records.ts';
import { COST } from '../../limits/costs.ts';
import { patchCampaign } from '../changing.ts';
import type { Route } from '../endpoint.ts';
import { campaignList, oneCampaign } from '../reading.ts';
import { deleteCampaign } from '../removal.ts';
import { BODY_FAILURES, jsonBody, list, one, removing, responses, withId } from './operation.ts';

export const campaignRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/campaigns',
    scope: 'read',
    cost: COST.list,
    operation: list('listCampaigns', 'List campaigns, newest first', CampaignsQuery, CampaignRecord),
    handler: ({ store }) => campaignList(store.db),
  },
  {
    method: 'get',
    path: '/campaigns/{id}',
    scope: 'read',
    operation: {
      ...one('getCampaign', 'campaign', CampaignRecord),
      description: `The same object as in the list. ${OURS}`,
    },
    handler: ({ store }) => oneCampaign(store.db),
  },
  {
    method: 'patch',
    path: '/campaigns/{id}',
    scope: 'write',
    operation: {
      operationId: 'updateCampaign',
      summary: 'Rename a campaign',
      description: `Later requests that give the old name make a new campaign. 409 if another campaign has the name, and for the campaign of the page of a new request. The search of sets has the new name within minutes. Events that were stored before keep the old text. ${OURS}`,
      tags: ['Changing'],
      requestParams: { path: withId('campaign') },
      requestBody: jsonBody(CampaignChange, { name: 'Spring and summer' }),
      responses: responses(200, CampaignRecord, [...BODY_FAILURES, 409, 410]),
    },
    handler: patchCampaign,
  },
  {
    method: 'delete',
    path: '/campaigns/{id}',
    scope: 'write',
    operation: removing(
      'deleteCampaign',
      'campaign',
      'Removes the campaign with its sets and ads, as if each was deleted. Its name is free again. 409 while a set or an ad of it is captured, and while it has more than 50,000 screenshots: delete some sets first.',
    ),
    handler: deleteCampaign,
  },
];
