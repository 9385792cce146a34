/** A capture says what it is about to send, and gets addresses that take exactly that. */
import type { Router } from 'express';
import { type DeclaredUploads, DeclareUploads, MOST_PICTURE_BYTES } from '../../contract/captureProtocol.ts';
import type { Bound } from '../../store/attempts.ts';
import { ResultFaultError } from '../../store/creativeResults.ts';
import { requireExpected } from '../../store/expectedUploads.ts';
import { createAllowances } from './allowances.ts';
import { boundOf, OverloadedError } from './authority.ts';
import type { Declarations } from './declarations.ts';
import type { InternalApiOptions } from './options.ts';
import { callerOf } from './requests.ts';
import { frameKey, screenshotKey, type Transfers, withContent } from './transfers.ts';

type Declared = DeclareUploads['uploads'][number];

/** Addresses that one pod gets: to sign a hundred takes 40 ms. A capture wants a few hundred at most. */
const SIGNED = { perSecond: 20, burst: 5_000 };

export function addUploadRoutes(
  router: Router,
  options: InternalApiOptions,
  { transfers, declarations }: { transfers: Transfers; declarations: Declarations },
): void {
  const { store, maxUploadBytes = MOST_PICTURE_BYTES } = options;
  const signed = createAllowances(SIGNED);

  router.post('/uploads', async (req, res) => {
    const { index, attempt, uploads } = DeclareUploads.parse(req.body);
    const caller = callerOf(res);
    const bound = boundOf(caller, { index, attempt });
    if (caller.pod !== undefined && !signed.take(caller.pod.uid, uploads.length))
      throw new OverloadedError('The pod declares too much.');
    for (const { bytes } of uploads) {
      if (bytes > maxUploadBytes)
        throw new ResultFaultError(`A picture of ${bytes} bytes is too large; ${maxUploadBytes} are the most.`);
    }
    const screenshots = uploads.flatMap((upload) => (upload.kind === 'screenshot' ? [upload.id] : []));
    const frames = uploads.filter((upload) => upload.kind === 'frame');
    await store.db.transaction().execute((tx) => requireExpected(tx, bound, { screenshots, frames }));
    const answer: DeclaredUploads = {
      uploads: await Promise.all(
        uploads.map((upload) => {
          const { sha256, bytes } = upload;
          const key = keyOf(upload, bound);
          declarations.note(key, sha256);
          return transfers.upload(withContent(key, sha256), { sha256, bytes });
        }),
      ),
    };
    res.json(answer);
  });
}

function keyOf(upload: Declared, bound: Bound): string {
  if (upload.kind === 'screenshot') return screenshotKey(upload.id, bound.attempt);
  return frameKey({ ...bound, adId: upload.ad_id }, upload);
}
