/** Artifacts of a folder, read and written through signed addresses. Buckets have addresses of their own. */
import express from 'express';
import { ArtifactNotFoundError } from '../../artifacts/store.ts';
import type { InternalApiOptions } from './options.ts';
import { refuseTransfer, type TransferMethod } from './token.ts';
import { PICTURE_TYPE } from './transfers.ts';

const MAX_UPLOAD_BYTES = 64 * 1024 * 1024;
const PNG_MAGIC = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

export function artifactRoutes({ artifacts, secret, maxUploadBytes = MAX_UPLOAD_BYTES }: InternalApiOptions) {
  const router = express.Router();

  router.put('/*key', authorize(secret), express.raw({ type: () => true, limit: maxUploadBytes }), async (req, res) => {
    if (req.get('content-type') !== PICTURE_TYPE) {
      res.status(415).json({ error: 'unsupported', message: `Only ${PICTURE_TYPE} is taken.` });
      return;
    }
    const body: unknown = req.body;
    if (!Buffer.isBuffer(body) || !body.subarray(0, PNG_MAGIC.length).equals(PNG_MAGIC)) {
      res.status(422).json({ error: 'invalid', message: 'The bytes are not those of a PNG.' });
      return;
    }
    await artifacts.put(keyOf(req), body, PICTURE_TYPE);
    res.status(204).end();
  });

  router.get('/*key', authorize(secret), async (req, res) => {
    try {
      const { bytes, contentType } = await artifacts.get(keyOf(req));
      res.type(contentType).send(bytes);
    } catch (error) {
      if (!(error instanceof ArtifactNotFoundError)) throw error;
      res.status(404).json({ error: 'not_found', message: error.message });
    }
  });
  return router;
}

function authorize(secret: Buffer): express.RequestHandler {
  return (req, res, next) => {
    const text = (value: unknown) => (typeof value === 'string' ? value : '');
    const reason = refuseTransfer(
      {
        method: (req.method === 'HEAD' ? 'GET' : req.method) as TransferMethod,
        key: keyOf(req),
        expires: text(req.query['expires']),
        signature: text(req.query['signature']),
      },
      { secret, now: new Date() },
    );
    if (reason === undefined) next();
    else res.status(403).json({ error: 'forbidden', message: reason });
  };
}

function keyOf(req: express.Request): string {
  const key: unknown = req.params['key'];
  return Array.isArray(key) ? key.join('/') : String(key);
}
