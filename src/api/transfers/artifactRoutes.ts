/** Serves artifacts from a folder through signed URLs. Artifacts in a bucket have URLs of the bucket. */
import { createHash } from 'node:crypto';
import express, { type Request, type RequestHandler, type Router } from 'express';
import { ArtifactNotFoundError } from '../../artifacts/store.ts';
import { MAX_PICTURE_BYTES } from '../../contract/captureProtocol.ts';
import { ResultFaultError } from '../../core/jobs/creativeResults.ts';
import { createStreamLimits } from '../limits/captureLimits.ts';
import { ForbiddenError, NotFoundError, UnsupportedTypeError } from '../server/errors.ts';
import { type ArtifactContent, pictureType, refuseTransfer, type TransferOptions } from './transfers.ts';

/** The first bytes of each type. */
const MAGIC: Readonly<Record<string, Buffer>> = {
  'image/png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  'image/webp': Buffer.from('RIFF'),
  'image/gif': Buffer.from('GIF89a'),
};
/** A capture aborts an upload after 15 s. */
const TIMEOUT_MS = 20_000;

export function artifactRoutes(options: TransferOptions): Router {
  const { artifacts, secret, maxUploadBytes = MAX_PICTURE_BYTES, maxUploadBytesTogether } = options;
  const streamLimits = createStreamLimits({
    maxBytesPerAddress: maxUploadBytes,
    maxBytes: maxUploadBytesTogether ?? 3 * maxUploadBytes,
    timeoutMs: TIMEOUT_MS,
  });
  const router = express.Router();

  router.put('/*key', authorize(secret, contentOf), requirePictureType, requireLength, (req, res) =>
    streamLimits.receive(req, async (bytes) => {
      const type = pictureType(keyOf(req));
      if (sha256Of(requireMagic(bytes, type)) !== contentOf(req).sha256)
        throw new ForbiddenError('The URL is signed for other bytes.');
      await artifacts.put(keyOf(req), bytes, type);
      res.status(204).end();
    }),
  );

  router.get(
    '/*key',
    authorize(secret, () => undefined),
    async (req, res) => {
      try {
        streamLimits.send(req, res, (await artifacts.sizeOf(keyOf(req))) ?? 0);
        const { bytes, contentType } = await artifacts.get(keyOf(req));
        res.type(contentType).send(bytes);
      } catch (error) {
        throw error instanceof ArtifactNotFoundError ? new NotFoundError(error.message, { cause: error }) : error;
      }
    },
  );
  return router;
}

/** Runs before the body is read. */
const requirePictureType: RequestHandler = (req, _res, next) => {
  const type = pictureType(keyOf(req));
  if (req.get('content-type') !== type) throw new UnsupportedTypeError(`The type must be ${type}.`);
  next();
};

const requireLength: RequestHandler = (req, _res, next) => {
  const { bytes } = contentOf(req);
  if (Number(req.get('content-length')) !== bytes) throw new ForbiddenError(`The URL is signed for ${bytes} bytes.`);
  next();
};

/** @throws ResultFaultError */
function requireMagic(bytes: Buffer, type: string): Buffer {
  const magic = MAGIC[type];
  if (magic !== undefined && bytes.subarray(0, magic.length).equals(magic)) return bytes;
  throw new ResultFaultError(`The bytes are not of the type ${type}.`);
}

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

/** @returns the content that the URL names. Only its signature shows whether the URL was signed for that content. */
function contentOf({ query }: Request): ArtifactContent {
  return { sha256: textOf(query['sha256']), bytes: Number(textOf(query['bytes'])) };
}

function authorize(secret: Buffer, content: (req: Request) => ArtifactContent | undefined): RequestHandler {
  return (req, _res, next) => {
    const reason = refuseTransfer(
      {
        method: req.method === 'HEAD' ? 'GET' : req.method,
        key: keyOf(req),
        expires: textOf(req.query['expires']),
        content: content(req),
        signature: textOf(req.query['signature']),
      },
      { secret, now: new Date() },
    );
    if (reason !== undefined) throw new ForbiddenError(reason);
    next();
  };
}

function keyOf(req: Request): string {
  const key: unknown = req.params['key'];
  return Array.isArray(key) ? key.join('/') : String(key);
}
