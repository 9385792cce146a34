/** The stored draft of a tab, which outlives the page and the session. */
import { readDraft, saveDraft } from '../../core/requests/drafts.ts';
import { isUuid } from '../../domain/slugs.ts';
import type { PagesOptions, Viewer } from '../parts/context.ts';
import { addressOf, type PagePaths } from '../parts/paths.ts';
import type { ViewerRequest } from '../routes/pageRoutes.ts';
import { type Draft, type FieldFaults, newDraft } from './draft.ts';

/** @param key the key of the form, which the address of the page contains. */
export async function keptDraft({ store }: PagesOptions, viewer: Viewer, key: string): Promise<Draft | undefined> {
  const body = isUuid(key) ? await readDraft(store.db, viewer, key) : undefined;
  // A draft of an earlier release lacks the fields that came later.
  return body && { ...newDraft(), ...body, key };
}

/** @returns the draft that the query names, or a new one. */
export async function draftOfTab(options: PagesOptions, { request, viewer }: ViewerRequest): Promise<Draft> {
  return (await keptDraft(options, viewer, String(request.query['draft'] ?? ''))) ?? newDraft();
}

/** The part of the form for single pages. */
export const formAddress = (paths: PagePaths, { key }: Draft) => `${addressOf(paths.newRequest, { draft: key })}#slots`;

/** Adds a fault if the draft is too large to be kept. */
export async function keepDraft(
  { store }: PagesOptions,
  viewer: Viewer,
  draft: Draft,
  faults: FieldFaults,
): Promise<void> {
  try {
    await saveDraft(store.db, viewer, { id: draft.key, body: { ...draft } });
  } catch (error) {
    faults.addFailure(error);
  }
}
