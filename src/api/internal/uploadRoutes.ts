/** A capture says what it is about to send, and gets addresses that take exactly that. */
import type { Router } from 'express';
import { type DeclaredUploads, DeclareUploads, MOST_PICTURE_BYTES } from '../../contract/captureProtocol.ts';
import type { Bound } from '../../store/attempts.ts';
import { ResultFaultError } from '../../store/creativeResults.ts';
import { requireExpected } from '../../store/expectedUploads.ts';
import { boundOf } from './authority.ts';
import { createDeclarations } from './declarations.ts';
import type { InternalApiOptions } from './options.ts';
import { callerOf } from './requests.ts';
import { frameKey, screenshotKey, type Transfers, withContent } from './transfers.ts';

type Declared = DeclareUploads['uploads'][number];

export function addUploadRoutes(router: Router, options: InternalApiOptions, transfers: Transfers): void {
  const { store, maxUploadBytes = MOST_PICTURE_BYTES } = options;
  const declarations = createDeclarations();

  router.post('/uploads', async (req, res) => {
    const { index, attempt, uploads } = DeclareUploads.parse(req.body);
    const bound = boundOf(callerOf(res), { index, attempt });
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
