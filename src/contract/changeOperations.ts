/** The operations that change and delete ads, sets and campaigns. */
import type { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathItemObject } from 'zod-openapi';
import { AdChange, CampaignChange, SetChange } from './changes.ts';
import { OURS } from './descriptions.ts';
import type { OperationParts } from './operationParts.ts';
import { AdRecord, CampaignRecord, ScreenshotSetRecord } from './records.ts';

type Parts = Pick<OperationParts, 'withId' | 'responses'>;
type Kind = 'ad' | 'set' | 'campaign';

const BODY_FAILURES = [400, 410, 413, 415, 422] as const;
const AGAIN = 'A second request changes nothing.';

/** @returns `patch` and `delete` of the path of one object. */
export function changeOperations({ withId, responses }: Parts): Record<Kind, ZodOpenApiPathItemObject> {
  const patch = (given: Changed): ZodOpenApiOperationObject => ({
    operationId: given.id,
    summary: given.summary,
    description: `${given.description} ${OURS}`,
    tags: ['Changing'],
    requestParams: { path: withId(given.what) },
    requestBody: { required: true, content: { 'application/json': { schema: given.body, example: given.example } } },
    responses: responses(200, given.record, given.mayConflict ? [...BODY_FAILURES, 409] : BODY_FAILURES),
  });
  const remove = (what: string, id: string, description: string): ZodOpenApiOperationObject => {
    const { '200': _, ...failures } = responses(200, AdRecord, [409]);
    return {
      operationId: id,
      summary: `Delete ${what === 'ad' ? 'an' : 'a'} ${what}`,
      description: `${description} ${AGAIN} ${OURS}`,
      tags: ['Changing'],
      requestParams: { path: withId(what) },
      responses: { ...failures, 204: { description: 'Deleted.' } },
    };
  };
  return {
    ad: { patch: patch(AD), delete: remove('ad', 'deleteAd', AD_DELETION) },
    set: { patch: patch(SET), delete: remove('set', 'deleteScreenshotSet', SET_DELETION) },
    campaign: { patch: patch(CAMPAIGN), delete: remove('campaign', 'deleteCampaign', CAMPAIGN_DELETION) },
  };
}

interface Changed {
  readonly id: string;
  readonly what: Kind;
  readonly summary: string;
  readonly description: string;
  readonly body: z.ZodType;
  readonly example: object;
  readonly record: z.ZodType;
  readonly mayConflict?: boolean;
}

const KEPT = 'Events that were stored before keep the old text.';

const AD: Changed = {
  id: 'updateAd',
  what: 'ad',
  summary: 'Change an ad',
  description: `Changes the name and the metadata. The media and the lookup key of an ad never change. ${KEPT}`,
  body: AdChange,
  example: { name: 'Spring, medium rectangle, v2', metadata: { order: '4711' } },
  record: AdRecord,
};

const SET: Changed = {
  id: 'updateScreenshotSet',
  what: 'set',
  summary: 'Change a set',
  description: `Changes the instructions and the metadata, in every status. ${KEPT}`,
  body: SetChange,
  example: { metadata: { client: 'Okapi', draft: null } },
  record: ScreenshotSetRecord,
};

const CAMPAIGN: Changed = {
  id: 'updateCampaign',
  what: 'campaign',
  summary: 'Rename a campaign',
  description: `Later requests that give the old name make a new campaign. 409 if another campaign has the name, and for the campaign of the page of a new request. The search of sets has the new name within minutes. ${KEPT}`,
  body: CampaignChange,
  example: { name: 'Spring and summer' },
  record: CampaignRecord,
  mayConflict: true,
};

const AD_DELETION =
  'Removes the ad with its preview, its frames, its subscribers and the deliveries to them, and its upload if no other ad uses it. Its lookup key is free again, and its addresses answer 410. Its events stay. 409 while its preview is captured, and while a set shows it: delete the set first.';

const SET_DELETION =
  'Removes the set with its screenshots, pictures, reviews, share links, exports, its subscribers and the deliveries to them, also those that wait. Its addresses answer 410. Ads, events and retakes stay. 409 while the set is captured: cancel it first.';

const CAMPAIGN_DELETION =
  'Removes the campaign with its sets and ads, as if each was deleted. Its name is free again. 409 while a set or an ad of it is captured, and while it has more than 50,000 screenshots: delete some sets first.';
