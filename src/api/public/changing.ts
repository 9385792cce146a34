/** Handlers that change ads, sets and campaigns. Each responds with the changed object. */
import type { z } from 'zod';
import { AdChange, CampaignChange, SetChange } from '../../contract/changes.ts';
import { readCampaign } from '../../core/sets/campaigns.ts';
import { changeAd, changeSet, renameCampaign } from '../../core/sets/changes.ts';
import { readAdRecord, readSetRecord } from '../../core/sets/readRecords.ts';
import { campaignRecord } from '../../core/sets/setJson.ts';
import type { Queryable } from '../../db/database.ts';
import { unknownId } from '../../domain/failure.ts';
import { type AuthorizedRequest, type Handler, idOf, jsonResponse, readOrFail } from './endpoint.ts';
import { readJson } from './jsonBody.ts';
import type { PublicApiOptions } from './options.ts';

/** PATCH …/ads/{id} */
export function patchAd(options: PublicApiOptions): Handler {
  return changing(options, AdChange, async (tx, call, change) => {
    const ref = refOf(call);
    await changeAd(tx, ref, { change, actor: call.actor });
    return readAdRecord(tx, { ...ref, publicUrl: call.place.publicUrl });
  });
}

/** PATCH …/screenshot_sets/{id} */
export function patchSet(options: PublicApiOptions): Handler {
  return changing(options, SetChange, async (tx, call, change) => {
    const ref = refOf(call);
    await changeSet(tx, ref, { change, actor: call.actor });
    return readSetRecord(tx, { ...ref, publicUrl: call.place.publicUrl });
  });
}

/** PATCH …/campaigns/{id} */
export function patchCampaign(options: PublicApiOptions): Handler {
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
  { store }: PublicApiOptions,
  schema: S,
  change: (tx: Queryable, call: AuthorizedRequest, wanted: z.output<S>) => Promise<object | undefined>,
): Handler {
  return async (call) => {
    const { value } = await readJson(call.request);
    const wanted = readOrFail(schema, value);
    const record = await store.db.transaction().execute((tx) => change(tx, call, wanted));
    if (record === undefined) throw unknownId();
    return jsonResponse(200, record);
  };
}
