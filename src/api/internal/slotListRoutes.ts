/** The call with which a capture loads the compiled filter lists. */
import type { Router } from 'express';
import type { Store } from '../../store/database/database.ts';
import { readBundle } from '../../store/slotLists/slotLists.ts';
import { NotFoundError } from '../server/errors.ts';

export function addSlotListRoutes(router: Router, { store }: { readonly store: Store }): void {
  // All captures ask for the same bundle, so it stays in memory.
  let last: { readonly sha256: string; readonly content: Buffer } | undefined;

  router.get('/slot-lists/:sha256', async (req, res) => {
    const { sha256 } = req.params;
    if (last?.sha256 !== sha256) {
      const content = await readBundle(store.db, sha256);
      if (content === undefined) throw new NotFoundError('The filter lists have changed.');
      last = { sha256, content };
    }
    // The content is compressed already.
    res.set({ etag: `"${sha256}"`, 'cache-control': 'private, max-age=86400, immutable' });
    res.type('application/octet-stream').send(last.content);
  });
}
