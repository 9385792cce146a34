/** Handlers that remove what a client created. */
import { removeSet } from '../../workflow/removal.ts';
import { type AuthorizedRequest, idOf, type JsonResponse } from './endpoint.ts';
import type { PublicApiOptions } from './options.ts';

/** DELETE …/screenshot_sets/{id}: 204, also if the set was deleted before. */
export function deleteSet({ store }: PublicApiOptions): (call: AuthorizedRequest) => Promise<JsonResponse> {
  return async ({ request, organizationId, actor }) => {
    const setId = idOf(request);
    await store.db.transaction().execute((tx) => removeSet(tx, { organizationId, setId }, actor));
    return { status: 204, text: '' };
  };
}
