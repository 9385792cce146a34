/** Handlers that remove what a client created. Each answers 204, also if the object was deleted before. */

import { removeAd, removeCampaign, removeSet } from '../../core/removal/removal.ts';
import type { Queryable } from '../../db/database.ts';
import type { Actor } from '../../domain/auditLog.ts';
import { type Handler, idOf } from './endpoint.ts';
import type { PublicApiOptions } from './options.ts';

type Remove = (tx: Queryable, ref: { id: string; organizationId: string }, actor: Actor) => Promise<void>;

/** DELETE …/screenshot_sets/{id} */
export const deleteSet = (options: PublicApiOptions): Handler => deleting(options, removeSet);

/** DELETE …/ads/{id} */
export const deleteAd = (options: PublicApiOptions): Handler => deleting(options, removeAd);

/** DELETE …/campaigns/{id} */
export const deleteCampaign = (options: PublicApiOptions): Handler => deleting(options, removeCampaign);

function deleting({ store }: PublicApiOptions, remove: Remove): Handler {
  return async ({ request, organizationId, actor }) => {
    const id = idOf(request);
    await store.db.transaction().execute((tx) => remove(tx, { id, organizationId }, actor));
    return { status: 204, text: '' };
  };
}
