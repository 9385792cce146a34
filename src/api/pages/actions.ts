/** The effects of the forms on the pages. Each one runs in one transaction. */
import { notFound } from '../../domain/failure.ts';
import { isUuid } from '../../domain/slugs.ts';
import { listDeliveries } from '../../store/deliveries/listDeliveries.ts';
import { replayDelivery } from '../../workflow/replay.ts';
import { reviewSet, type SetAction } from '../../workflow/reviews.ts';
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
  };
  await options.store.db.transaction().execute((tx) => reviewSet(tx, review, options));
}

/** @throws Failure (404) if there is no such delivery. */
export async function replay({ store, queue }: PagesOptions, viewer: Viewer, id: string): Promise<void> {
  await store.db.transaction().execute(async (tx) => {
    const filter = { organizationId: viewer.organizationId, id };
    const { total } = isUuid(id) ? await listDeliveries(tx, filter, { page: 1, perPage: 1 }) : { total: 0 };
    if (total === 0) throw notFound('id', 'There is no such delivery.');
    await replayDelivery(tx, id, queue);
  });
}
