/** Sets and campaigns, which have the same routes for share links and exports. */
import type { Request } from 'express';
import { readCampaign } from '../../../core/sets/campaigns.ts';
import { hasSet } from '../../../core/sets/readSet.ts';
import type { Owner } from '../../../core/sets/shownVersions.ts';
import type { Queryable } from '../../../db/database.ts';
import type { ObjectRef } from '../../../db/rows.ts';
import { unknownId } from '../../../domain/failure.ts';
import { type Call, idOf, refOf } from '../endpoint.ts';

export interface OwnerRoutes {
  readonly path: 'screenshot_sets' | 'campaigns';
  readonly what: 'set' | 'campaign';
  /** Part of the ids of the operations. */
  readonly word: '' | 'Campaign';
  of(request: Request): Owner;
  has(db: Queryable, ref: ObjectRef): Promise<unknown>;
}

export const OWNERS: readonly OwnerRoutes[] = [
  { path: 'screenshot_sets', what: 'set', word: '', of: (request) => ({ setId: idOf(request) }), has: hasSet },
  {
    path: 'campaigns',
    what: 'campaign',
    word: 'Campaign',
    of: (request) => ({ campaignId: idOf(request) }),
    has: readCampaign,
  },
];

/** @throws Failure (404) if there is no such set or campaign. */
export async function requireOwner({ has }: OwnerRoutes, db: Queryable, call: Call): Promise<void> {
  if (!(await has(db, refOf(call)))) throw unknownId();
}

/** The end of descriptions. */
export const OF_CAMPAIGN =
  'A campaign shows the pictures of all its sets, the oldest first, and none of rejected sets.';
