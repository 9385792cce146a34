/** Artifacts of a folder, read and written through signed addresses. Buckets have addresses of their own. */
import { createHash } from 'node:crypto';
import express, { type Router } from 'express';
import { ArtifactNotFoundError } from '../../artifacts/store.ts';
import { MAX_PICTURE_BYTES } from '../../contract/captureProtocol.ts';
import { ResultFaultError } from '../../workflow/creativeResults.ts';
import { ForbiddenError } from '../auth/captureAuth.ts';
import { refuseTransfer, type TransferContent, type TransferMethod } from '../auth/jobToken.ts';
import type { InternalApiOptions } from '../internal/options.ts';
import { createStreamLimits } from '../limits/streamLimits.ts';
import { PICTURE_TYPE } from './transfers.ts';

const PNG_MAGIC = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** A capture gives a try up after 15 s. */
const WITHIN_MS = 20_000;

export function artifactRoutes(options: InternalApiOptions): Router {
  const { artifacts, secret, maxUploadBytes = MAX_PICTURE_BYTES, maxUploadBytesTogether } = options;
  const together = maxUploadBytesTogether ?? 3 * maxUploadBytes;
  const passage = createStreamLimits({ each: maxUploadBytes, together, withinMs: WITHIN_MS });
  const router = express.Router();

  router.put('/*key', authorize(secret, contentOf), requirePicture, requireLength, (req, res) =>
    passage.receive(req, async (bytes) => {
      if (sha256Of(requirePng(bytes)) !== contentOf(req).sha256)
        throw new ForbiddenError('The address is for other bytes.');
      await artifacts.put(keyOf(req), bytes, PICTURE_TYPE);
      res.status(204).end();
    }),
  );

  router.get(
    '/*key',
    authorize(secret, () => undefined),
    async (req, res) => {
      try {
        passage.send(req, res, (await artifacts.sizeOf(keyOf(req))) ?? 0);
        const { bytes, contentType } = await artifacts.get(keyOf(req));
        res.type(contentType).send(bytes);
      } catch (error) {
        if (!(error instanceof ArtifactNotFoundError)) throw error;
        res.status(404).json({ error: 'not_found', message: error.message });
      }
    },
  );
  return router;
}

/** Before any of it is read. */
const requirePicture: express.RequestHandler = (req, res, next) => {
  if (req.get('content-type') === PICTURE_TYPE) next();
  else res.status(415).json({ error: 'unsupported', message: `Only ${PICTURE_TYPE} is taken.` });
};

const requireLength: express.RequestHandler = (req, _res, next) => {
  const bytes = contentOf(req).bytes;
  if (Number(req.get('content-length')) !== bytes) throw new ForbiddenError(`The address is for ${bytes} bytes.`);
  next();
};

/** @throws ResultFaultError */
function requirePng(bytes: Buffer): Buffer {
  if (bytes.subarray(0, PNG_MAGIC.length).equals(PNG_MAGIC)) return bytes;
  throw new ResultFaultError('The bytes are not those of a PNG.');
}

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** What the address says that it was signed for; its signature tells whether it was. */
function contentOf({ query }: express.Request): TransferContent {
  return { sha256: textOf(query['sha256']), bytes: Number(textOf(query['bytes'])) };
}

function authorize(
  secret: Buffer,
  content: (req: express.Request) => TransferContent | undefined,
): express.RequestHandler {
  return (req, res, next) => {
    const reason = refuseTransfer(
      {
        method: (req.method === 'HEAD' ? 'GET' : req.method) as TransferMethod,
        key: keyOf(req),
        expires: textOf(req.query['expires']),
        content: content(req),
        signature: textOf(req.query['signature']),
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
