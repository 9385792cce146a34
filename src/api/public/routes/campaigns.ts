import { CampaignChange } from '../../../contract/changes.ts';
import { CampaignsQuery } from '../../../contract/queries.ts';
import { CampaignRecord } from '../../../contract/records.ts';
import { removeCampaign } from '../../../core/removal/removal.ts';
import { listCampaigns, readCampaign } from '../../../core/sets/campaigns.ts';
import { renameCampaign } from '../../../core/sets/changes.ts';
import { campaignRecord } from '../../../core/sets/setJson.ts';
import { foundResponse, type Route, refOf } from '../endpoint.ts';
import { filterOf, listAnswer, placeOf } from '../listAnswer.ts';
import { jsonBody, list, one, removes, removing, route } from './operation.ts';

export const campaignRoutes: readonly Route[] = [
  route('get /campaigns', 'read', {
    ...list('listCampaigns', 'List campaigns, newest first', CampaignsQuery, CampaignRecord),
    handler: async (call, { store: { db } }) => {
      const { organizationId, query } = call;
      const after = await placeOf(db, 'campaigns', { organizationId, id: query.after });
      const filter = { organizationId, ...filterOf(query), name: query.name, after };
      return listAnswer(query, (page) => listCampaigns(db, filter, page), campaignRecord);
    },
  }),
  route('get /campaigns/{id}', 'read', {
    ...one('getCampaign', 'campaign', CampaignRecord),
    description: 'The same object as in the list.',
    handler: async (call, { store: { db } }) => {
      const row = await readCampaign(db, refOf(call));
      return foundResponse(200, row && campaignRecord(row));
    },
  }),
  route('patch /campaigns/{id}', 'write', {
    operationId: 'updateCampaign',
    summary: 'Rename a campaign',
    description:
      'Later requests with the old name create a new campaign. 409 if another campaign has the name, and for the campaign of the new request page. Searches for sets find the new name within minutes. Events that were stored before keep the old text.',
    body: jsonBody(CampaignChange, { name: 'Spring and summer' }),
    answer: CampaignRecord,
    failures: [409, 410],
    handler: async (call, { store }) => {
      const ref = refOf(call);
      const row = await store.db.transaction().execute(async (tx) => {
        await renameCampaign(tx, ref, { name: call.input.name, actor: call.actor });
        return readCampaign(tx, ref);
      });
      return foundResponse(200, row && campaignRecord(row));
    },
  }),
  route('delete /campaigns/{id}', 'write', {
    ...removing(
      'deleteCampaign',
      'campaign',
      'Removes the campaign with its sets and ads, as if each were deleted. Its name can be used again. 409 while one of its sets or ads is being captured, and while it has more than 50,000 screenshots: delete some sets first.',
    ),
    handler: removes((tx, call) => removeCampaign(tx, refOf(call), call.actor)),
  }),
];
