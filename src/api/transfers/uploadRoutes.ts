/** A capture declares its next uploads and receives signed requests that accept exactly those bytes. */
import type { Router } from 'express';
import { type DeclaredUploads, DeclareUploads, MAX_PICTURE_BYTES } from '../../contract/captureProtocol.ts';
import type { AttemptRef } from '../../core/jobs/attempts.ts';
import { ResultFaultError } from '../../core/jobs/creativeResults.ts';
import { declareUploads } from '../../core/jobs/expectedUploads.ts';
import type { Store } from '../../db/database.ts';
import { withContent } from '../../domain/pictureKeys.ts';
import { createRateLimiter } from '../../lib/rateLimiter.ts';
import { getCaller, requireAttempt } from '../auth/captureAuth.ts';
import { OverloadedError } from '../server/errors.ts';
import { animationKey, filmKey, frameKey, pagePictureKey, screenshotKey, type Transfers } from './transfers.ts';

type Declared = DeclareUploads['uploads'][number];

/** Uploads that one pod may declare. To sign a hundred takes 40 ms, and a capture needs a few hundred at most. */
const DECLARED = { perSecond: 20, burst: 5_000 };

interface UploadRouteOptions {
  readonly store: Store;
  readonly maxUploadBytes?: number;
}

export function addUploadRoutes(router: Router, options: UploadRouteOptions, transfers: Transfers): void {
  const { store, maxUploadBytes = MAX_PICTURE_BYTES } = options;
  const declaredRate = createRateLimiter(DECLARED);

  router.post('/uploads', async (req, res) => {
    const { index, attempt, uploads } = DeclareUploads.parse(req.body);
    const caller = getCaller(res);
    const attemptRef = requireAttempt(caller, { index, attempt });
    if (caller.pod !== undefined && !declaredRate.take(caller.pod.uid, uploads.length).allowed)
      throw new OverloadedError('The pod declares too many uploads.');
    for (const { bytes } of uploads) {
      if (bytes > maxUploadBytes)
        throw new ResultFaultError(`A picture of ${bytes} bytes is too large; the limit is ${maxUploadBytes}.`);
    }
    const screenshots = uploads.flatMap((upload) => ('id' in upload ? [upload.id] : []));
    const films = uploads.flatMap((upload) => {
      if (upload.kind !== 'film') return [];
      const { ad_id, seconds, fps, ratio } = upload;
      return [{ ad_id, seconds, fps, ratio }];
    });
    const frames = uploads.filter((upload) => upload.kind === 'frame');
    const contents = uploads.map((upload) => ({ picture: keyOf(upload, attemptRef), sha256: upload.sha256 }));
    await store.db
      .transaction()
      .execute((tx) => declareUploads(tx, attemptRef, { screenshots, frames, films, contents }));
    const signed = uploads.map((upload) => {
      const { sha256, md5, bytes } = upload;
      return transfers.upload(withContent(keyOf(upload, attemptRef), sha256), { sha256, md5, bytes });
    });
    res.json({ uploads: await Promise.all(signed) } satisfies DeclaredUploads);
  });
}

function keyOf(upload: Declared, attemptRef: AttemptRef): string {
  if (upload.kind === 'screenshot') return screenshotKey(upload.id, attemptRef.attempt);
  if (upload.kind === 'page') return pagePictureKey(upload.id, attemptRef.attempt);
  if (upload.kind === 'animation') return animationKey(upload.id, attemptRef.attempt, upload.format);
  const owner = { ...attemptRef, adId: upload.ad_id };
  return upload.kind === 'film' ? filmKey(owner, upload) : frameKey(owner, upload);
}
