/** The effects of the forms on the pages. Each one runs in one transaction. */

import { reviewSet, type SetAction } from '../core/reviews/reviews.ts';
import { createShareLink, revokeLink } from '../core/sharing/shareLinks.ts';
import { listDeliveries } from '../core/webhooks/listDeliveries.ts';
import { replayDelivery } from '../core/webhooks/replayEvents.ts';
import type { Actor } from '../domain/auditLog.ts';
import { notFound } from '../domain/failure.ts';
import { inDays, SHARE_DAYS_DEFAULT, SHARE_DAYS_MAX, SHARE_LABEL_MAX } from '../domain/shareLinks.ts';
import { isUuid } from '../domain/slugs.ts';
import { cutCodePoints, storable } from '../domain/text.ts';
import type { PagesOptions, Viewer } from './context.ts';

/** @throws Failure: 404 if there is no such set, 409 if its status forbids the action. */
export async function actOnSet(
  options: PagesOptions,
  viewer: Viewer,
  { id, action, notes }: { id: string; action: SetAction; notes: string },
): Promise<void> {
  const review = {
    action,
    organizationId: viewer.organizationId,
    setId: id,
    notes: notes.trim() === '' ? null : notes.trim(),
    keyId: viewer.keyId,
  };
  await options.store.db.transaction().execute((tx) => reviewSet(tx, review, options));
}

/** @throws Failure (404) if there is no such delivery. */
export async function replay({ store }: PagesOptions, viewer: Viewer, id: string): Promise<void> {
  await store.db.transaction().execute(async (tx) => {
    const filter = { organizationId: viewer.organizationId, id };
    const { total } = isUuid(id) ? await listDeliveries(tx, filter, { page: 1, perPage: 1 }) : { total: 0 };
    if (total === 0) throw notFound('id', 'There is no such delivery.');
    await replayDelivery(tx, id);
  });
}

/** @throws Failure: 404 if there is no such set, 409 if it has too many links. */
export async function share(
  { store }: PagesOptions,
  { viewer, actor }: { viewer: Viewer; actor: Actor },
  { id, label, days, downloads }: { id: string; label: string; days: string; downloads: boolean },
): Promise<void> {
  const wanted = Number(days);
  const isValid = Number.isInteger(wanted) && wanted >= 1 && wanted <= SHARE_DAYS_MAX;
  const expiresAt = inDays(new Date(), isValid ? wanted : SHARE_DAYS_DEFAULT);
  const link = {
    organizationId: viewer.organizationId,
    setId: id,
    expiresAt,
    downloads,
    label: cutCodePoints(storable(label).trim(), SHARE_LABEL_MAX),
  };
  await store.db.transaction().execute((tx) => createShareLink(tx, link, actor));
}

/** @throws Failure (404) if the set has no such link. */
export async function revokeShare(
  { store }: PagesOptions,
  { viewer: { organizationId }, actor }: { viewer: Viewer; actor: Actor },
  { setId, id }: { setId: string; id: string },
): Promise<void> {
  if (!isUuid(id)) throw notFound('share_id', 'There is no such share link.');
  await store.db.transaction().execute((tx) => revokeLink(tx, { organizationId, setId, id: id.toLowerCase() }, actor));
}
