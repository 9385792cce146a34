/** Adds refused sign-ins to the audit log. */

import { recordAction } from '../core/organizations/auditLogQueries.ts';
import { findKeyRow } from '../core/organizations/keyList.ts';
import { findOrganization } from '../core/organizations/organizations.ts';
import { type Actor, changesBetween } from '../domain/auditLog.ts';
import { createRateLimiter } from '../lib/rateLimiter.ts';
import type { PagesOptions } from './context.ts';

/** Nobody needs a key to cause such entries, so each process adds at most 20 of an organization at once, and 6 a minute. */
const LIMIT = { burst: 20, perSecond: 0.1 };

export interface Refusal {
  readonly slug: string;
  readonly reason: string;
  /** The id in the key that the person sent. It is in the entry only if the organization has such a key. */
  readonly keyId?: string | undefined;
}

export type RefusalLog = (actor: Actor, refusal: Refusal) => Promise<void>;

/** The function never fails. Call it after the response, so that its duration does not tell whether the organization exists. */
export function createRefusalLog(
  { store: { db }, log }: Pick<PagesOptions, 'store' | 'log'>,
  now: () => number = () => performance.now(),
): RefusalLog {
  const limiter = createRateLimiter(LIMIT, now);
  const record = async (actor: Actor, { slug, reason, keyId }: Refusal): Promise<void> => {
    const organizationId = (await findOrganization(db, slug))?.id;
    if (organizationId === undefined) return;
    const known = keyId && (await findKeyRow(db, { organizationId, id: keyId }));
    const changes = changesBetween({}, { reason, key_id: known && keyId });
    await recordAction(db, actor, { organizationId, action: 'session.refused', objectId: null, changes });
  };
  return async (actor, refusal) => {
    if (!limiter.take(refusal.slug).allowed) return;
    await record(actor, refusal).catch((error: unknown) =>
      log.error({ err: error, request_id: actor.requestId }, 'a refused sign-in is missing in the audit log'),
    );
  };
}
