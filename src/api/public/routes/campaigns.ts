import { CampaignChange } from '../../../contract/changes.ts';
import { CampaignsQuery } from '../../../contract/queries.ts';
import { CampaignRecord } from '../../../contract/records.ts';
import { OURS } from '../../../contract/schemaParts.ts';
import { removeCampaign } from '../../../core/removal/removal.ts';
import { listCampaigns, readCampaign } from '../../../core/sets/campaigns.ts';
import { renameCampaign } from '../../../core/sets/changes.ts';
import { campaignRecord } from '../../../core/sets/setJson.ts';
import { COST } from '../../limits/costs.ts';
import { foundResponse, idOf, NO_CONTENT, type Route, readOrFail, refOf } from '../endpoint.ts';
import { filterOf, listAnswer, placeOf, readQuery } from '../listAnswer.ts';
import { BODY_FAILURES, jsonBody, list, one, removing, responses, withId } from './operation.ts';

export const campaignRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/campaigns',
    scope: 'read',
    cost: COST.list,
    operation: list('listCampaigns', 'List campaigns, newest first', CampaignsQuery, CampaignRecord),
    handler: async (call, { store: { db } }) => {
      const { organizationId } = call;
      const query = readQuery(CampaignsQuery, call);
      const after = await placeOf(db, 'campaigns', { organizationId, id: query.after });
      const filter = { organizationId, ...filterOf(query), name: query.name, after };
      return listAnswer(query, (page) => listCampaigns(db, filter, page), campaignRecord);
    },
  },
  {
    method: 'get',
    path: '/campaigns/{id}',
    scope: 'read',
    operation: {
      ...one('getCampaign', 'campaign', CampaignRecord),
      description: `The same object as in the list. ${OURS}`,
    },
    handler: async ({ request, organizationId }, { store: { db } }) => {
      const id = idOf(request);
      const row = await readCampaign(db, { id, organizationId });
      return foundResponse(200, row && campaignRecord(row));
    },
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
    handler: async (call, { store }) => {
      const [ref, { name }] = [refOf(call), readOrFail(CampaignChange, call.body.value)];
      const row = await store.db.transaction().execute(async (tx) => {
        await renameCampaign(tx, ref, { name, actor: call.actor });
        return readCampaign(tx, ref);
      });
      return foundResponse(200, row && campaignRecord(row));
    },
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
    handler: async (call, { store }) => {
      await store.db.transaction().execute((tx) => removeCampaign(tx, refOf(call), call.actor));
      return NO_CONTENT;
    },
  },
];
