/** Handlers that change ads, sets and campaigns. Each responds with the changed object. */
import type { z } from 'zod';
import { AdChange, CampaignChange, SetChange } from '../../contract/changes.ts';
import { unknownId } from '../../domain/failure.ts';
import { readCampaign } from '../../store/campaigns/readCampaign.ts';
import type { Queryable } from '../../store/database/database.ts';
import { changeAd, changeSet, renameCampaign } from '../../workflow/changes.ts';
import { campaignRecord } from '../presenters/listItems.ts';
import { readAdRecord, readSetRecord } from '../presenters/readRecords.ts';
import { type AuthorizedRequest, idOf, type JsonResponse, longJsonResponse, readOrFail } from './endpoint.ts';
import { jsonBodyReader } from './jsonBody.ts';
import type { BodyOptions } from './options.ts';

type Handler = (call: AuthorizedRequest) => Promise<JsonResponse>;

/** PATCH …/ads/{id} */
export function patchAd(options: BodyOptions): Handler {
  return changing(options, AdChange, async (tx, call, change) => {
    const ref = refOf(call);
    await changeAd(tx, ref, { change, actor: call.actor });
    return readAdRecord(tx, { ...ref, publicUrl: call.place.publicUrl });
  });
}

/** PATCH …/screenshot_sets/{id} */
export function patchSet(options: BodyOptions): Handler {
  return changing(options, SetChange, async (tx, call, change) => {
    const ref = refOf(call);
    await changeSet(tx, ref, { change, actor: call.actor });
    return readSetRecord(tx, { ...ref, publicUrl: call.place.publicUrl });
  });
}

/** PATCH …/campaigns/{id} */
export function patchCampaign(options: BodyOptions): Handler {
  return changing(options, CampaignChange, async (tx, call, { name }) => {
    const ref = refOf(call);
    await renameCampaign(tx, ref, { name, actor: call.actor });
    const row = await readCampaign(tx, ref);
    return row && campaignRecord(row);
  });
}

const refOf = ({ request, organizationId }: AuthorizedRequest) => ({ id: idOf(request), organizationId });

/** @param change changes the object and returns its record. */
function changing<S extends z.ZodType>(
  { store, bodies }: BodyOptions,
  schema: S,
  change: (tx: Queryable, call: AuthorizedRequest, wanted: z.output<S>) => Promise<object | undefined>,
): Handler {
  const readBody = jsonBodyReader(bodies);
  return async (call) => {
    const { value } = await readBody(call);
    const wanted = readOrFail(schema, value);
    const record = await store.db.transaction().execute((tx) => change(tx, call, wanted));
    if (record === undefined) throw unknownId();
    return longJsonResponse(200, record);
  };
}
