/** A capture declares what it is about to send, and gets addresses that accept exactly that. */
import type { Router } from 'express';
import { type DeclaredUploads, DeclareUploads, MAX_PICTURE_BYTES } from '../../contract/captureProtocol.ts';
import { createRateLimiter } from '../../lib/rateLimiter.ts';
import type { AttemptRef } from '../../workflow/attempts.ts';
import { ResultFaultError } from '../../workflow/creativeResults.ts';
import { declareUploads } from '../../workflow/expectedUploads.ts';
import { OverloadedError, requireAttempt } from '../auth/captureAuth.ts';
import type { InternalApiOptions } from '../internal/options.ts';
import { callerOf } from '../internal/pathParameters.ts';
import { frameKey, screenshotKey, type Transfers, withContent } from './transfers.ts';

type Declared = DeclareUploads['uploads'][number];

/** Addresses that one pod gets: to sign a hundred takes 40 ms. A capture wants a few hundred at most. */
const SIGNED = { perSecond: 20, burst: 5_000 };

export function addUploadRoutes(router: Router, options: InternalApiOptions, transfers: Transfers): void {
  const { store, maxUploadBytes = MAX_PICTURE_BYTES } = options;
  const signed = createRateLimiter(SIGNED);

  router.post('/uploads', async (req, res) => {
    const { index, attempt, uploads } = DeclareUploads.parse(req.body);
    const caller = callerOf(res);
    const attemptRef = requireAttempt(caller, { index, attempt });
    if (caller.pod !== undefined && !signed.take(caller.pod.uid, uploads.length))
      throw new OverloadedError('The pod declares too much.');
    for (const { bytes } of uploads) {
      if (bytes > maxUploadBytes)
        throw new ResultFaultError(`A picture of ${bytes} bytes is too large; ${maxUploadBytes} are the most.`);
    }
    const screenshots = uploads.flatMap((upload) => (upload.kind === 'screenshot' ? [upload.id] : []));
    const frames = uploads.filter((upload) => upload.kind === 'frame');
    const contents = uploads.map((upload) => ({ picture: keyOf(upload, attemptRef), sha256: upload.sha256 }));
    await store.db.transaction().execute((tx) => declareUploads(tx, attemptRef, { screenshots, frames, contents }));
    const answer: DeclaredUploads = {
      uploads: await Promise.all(
        uploads.map((upload) => {
          const { sha256, bytes } = upload;
          return transfers.upload(withContent(keyOf(upload, attemptRef), sha256), { sha256, bytes });
        }),
      ),
    };
    res.json(answer);
  });
}

function keyOf(upload: Declared, attemptRef: AttemptRef): string {
  if (upload.kind === 'screenshot') return screenshotKey(upload.id, attemptRef.attempt);
  return frameKey({ ...attemptRef, adId: upload.ad_id }, upload);
}
