/** The stored draft of a viewer, which outlives the page and the session. */
import { readDraft, saveDraft } from '../../core/requests/drafts.ts';
import { Failure } from '../../domain/failure.ts';
import type { PagesOptions, Viewer } from '../parts/context.ts';
import { type Draft, type FieldFaults, newDraft } from './draft.ts';

export async function keptDraft({ store }: PagesOptions, viewer: Viewer): Promise<Draft | undefined> {
  const row = await readDraft(store.db, viewer);
  // A draft of an earlier release lacks the fields that came later.
  return row && { ...newDraft(), ...row.body };
}

/** Adds a fault if the draft is too large to be kept. */
export async function keepDraft(
  { store }: PagesOptions,
  viewer: Viewer,
  draft: Draft,
  faults: FieldFaults,
): Promise<void> {
  const { organizationId, keyId, userId } = viewer;
  try {
    await saveDraft(store.db, { organizationId, keyId, userId, body: { ...draft } });
  } catch (error) {
    if (!(error instanceof Failure) || error.status !== 422) throw error;
    faults.addErrors(error.errors);
  }
}
