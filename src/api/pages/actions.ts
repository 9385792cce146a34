/** What forms on the pages do. Each is one transaction, and goes back to the page it came from. */
import type { Request } from 'express';
import { Failure, notFound } from '../../domain/failure.ts';
import { isUuid } from '../../domain/slugs.ts';
import { listDeliveries } from '../../store/deliveries/listDeliveries.ts';
import { replayDelivery } from '../../workflow/replay.ts';
import { reviewSet, type SetAction } from '../../workflow/reviews.ts';
import type { PagesOptions, Viewer } from './context.ts';
import { isOwnForm } from './origins.ts';
import { isFormToken } from './signatures.ts';
import { field } from './signIn.ts';
import { findSession } from './viewer.ts';

/** @throws Failure (403) for a viewer who may only read, and for a form that another site may have sent. */
export function requireOwnForm(
  { secret }: PagesOptions,
  request: Request,
  { viewer, needsWrite }: { viewer: Viewer; needsWrite: boolean },
): void {
  if (needsWrite && !viewer.canWrite)
    throw forbidden('This key lacks the scope "write": sign in with one that has it.');
  // Whoever sends the key itself with the request is no browser that was led astray.
  if (viewer.formToken === '') return;
  const session = findSession(secret, request, viewer.slug);
  const isOwn = session !== undefined && isFormToken(secret, session, field(request, 'form')) && isOwnForm(request);
  if (!isOwn) throw forbidden('This form is out of date or came from another site: reload the page and try again.');
}

/** @throws Failure: 404 for no such set, 409 where its state forbids it. */
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

/** @throws Failure (404) for no such delivery. */
export async function replay({ store, queue }: PagesOptions, viewer: Viewer, id: string): Promise<void> {
  await store.db.transaction().execute(async (tx) => {
    const filter = { organizationId: viewer.organizationId, id };
    const { total } = isUuid(id) ? await listDeliveries(tx, filter, { page: 1, perPage: 1 }) : { total: 0 };
    if (total === 0) throw notFound('id', 'There is no such delivery.');
    await replayDelivery(tx, id, queue);
  });
}

function forbidden(text: string): Failure {
  return new Failure({ status: 403, code: 'forbidden', errors: { form: [text] } });
}
