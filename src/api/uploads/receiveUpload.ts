/** Receives the file of a client as a stream, and stores it if it is a creative. */
import type { Request } from 'express';
import {
  requireRoomForUpload,
  type StoredUpload,
  storeUpload,
  type UploadContext,
} from '../../core/uploads/uploads.ts';
import { CREATIVE_MAX_BYTES } from '../../domain/ads.ts';
import { type ErrorCode, Failure, invalid, tooMany } from '../../domain/failure.ts';
import { type UploadFormat, uploadName } from '../../domain/uploads.ts';
import { KeyedConcurrencyLimit } from '../../lib/concurrencyLimit.ts';
import { type DetectedContent, detectContent, NotACreativeError } from '../../lib/detectContent.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import { requirePromise } from '../../lib/promisedContent.ts';
import { malformed, openMultipart, type ReceivedFile } from './multipart.ts';

/** The first bytes of a file show its format. */
const HEAD_BYTES = 256 * 1024;
/** The headers and fields of a multipart body. */
const MULTIPART_BYTES = 128 * 1024;
/** Uploads at the same time, because each takes memory. */
const AT_ONCE = { inAll: 12, ofEach: 4, waitMs: 30_000 };

/** @returns the stored upload. @throws Failure 400, 409, 413, 415, 422, 429 */
export async function receiveUpload(
  context: UploadContext,
  request: Request,
  organizationId: string,
): Promise<StoredUpload> {
  requirePlain(request);
  try {
    return await inTurn(context, organizationId, async () => {
      const file = isMultipart(request) ? await openMultipart(request) : openRaw(request);
      return storeFile(context, organizationId, { ...file, contentType: request.get('content-type') ?? '' });
    });
  } finally {
    // A rejection leaves the rest of the body. Unread, it would block the next request of this connection.
    request.resume();
  }
}

/** Stores one file of a form. @throws Failure 409, 413, 415, 422, 429 */
export type ReceiveFile = (organizationId: string, file: ReceivedFile) => Promise<StoredUpload>;

export function fileReceiver(context: UploadContext): ReceiveFile {
  return (organizationId, file) =>
    inTurn(context, organizationId, () => storeFile(context, organizationId, { ...file, contentType: '' }));
}

const running = new KeyedConcurrencyLimit(AT_ONCE);

/** Runs the work as soon as the organization has room for an upload. @throws Failure (429) after 30 s. */
async function inTurn<T>(context: UploadContext, organizationId: string, work: () => Promise<T>): Promise<T> {
  await requireRoomForUpload(context, organizationId);
  return running.run(organizationId, work, tooManyUploads);
}

function tooManyUploads(): Failure {
  return tooMany('rate_limit', 'Other uploads took too long: send fewer at once.', 1);
}

interface FileToStore extends ReceivedFile {
  /** Decides only if the bytes do not show the format. */
  readonly contentType: string;
}

async function storeFile(
  context: UploadContext,
  organizationId: string,
  { name, chunks, contentType }: FileToStore,
): Promise<StoredUpload> {
  const { head, all } = await takeHead(limited(chunks), HEAD_BYTES);
  const kind = isMhtml(head) ? MHTML : kindOf(await detect(head, contentType, name));
  return storeUpload(context, { organizationId, name: uploadName(name), ...kind, chunks: all });
}

const MHTML = { format: 'mhtml', contentType: 'multipart/related' } as const;

/** Whether it is a page that a browser saved: headers of a mail with several parts. */
function isMhtml(head: Buffer): boolean {
  const [headers = ''] = head.toString('latin1').split(/\r?\n\r?\n/, 1);
  return /^[a-z-]+:/i.test(headers) && /^content-type:\s*multipart\/related/im.test(headers);
}

const kindOf = (content: DetectedContent) => ({ format: FORMATS[content.kind], contentType: typeOf(content) });

const isMultipart = (request: Request) => /^multipart\//i.test(request.get('content-type') ?? '');

/** Runs before the body is read. */
function requirePlain(request: Request): void {
  const encoding = request.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    throw unsupported('unsupported_encoding', `must be sent as it is, without Content-Encoding ${encoding}.`, 'body');
  const most = CREATIVE_MAX_BYTES + (isMultipart(request) ? MULTIPART_BYTES : 0);
  if (Number(request.get('content-length') ?? 0) > most) throw tooLarge();
}

function openRaw(request: Request): ReceivedFile {
  const { name } = request.query;
  return { name: typeof name === 'string' ? name : '', chunks: bodyOf(request) };
}

/** The connection stays open after an error of the reader, so that the client receives the answer. */
async function* bodyOf(request: Request): AsyncGenerator<Buffer> {
  try {
    yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw malformed(errorMessage(error));
  }
}

async function* limited(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > CREATIVE_MAX_BYTES) throw tooLarge();
    yield chunk;
  }
}

/** @returns the first bytes, and all bytes again. */
async function takeHead(
  chunks: AsyncGenerator<Buffer>,
  size: number,
): Promise<{ head: Buffer; all: AsyncIterable<Buffer> }> {
  const taken: Buffer[] = [];
  let bytes = 0;
  let ended = false;
  while (bytes < size && !ended) {
    const next = await chunks.next();
    if (next.done) ended = true;
    else {
      taken.push(next.value);
      bytes += next.value.length;
    }
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* taken;
    if (!ended) yield* chunks;
  }
  return { head: Buffer.concat(taken), all: all() };
}

/** @throws Failure (415, 422) */
async function detect(head: Buffer, contentType: string, name: string): Promise<DetectedContent> {
  if (head.length === 0) throw invalid({ file: ['must not be empty: it has no bytes.'] });
  try {
    const content = await detectContent(head, isGeneric(contentType) ? '' : contentType);
    requirePromise(content.kind, { name });
    return content;
  } catch (error) {
    if (error instanceof NotACreativeError) throw unsupported('unsupported_media_type', error.message, 'file');
    throw error;
  }
}

/** Types of the whole body, which do not describe the file. */
const isGeneric = (type: string) => /^(multipart\/|application\/(x-www-form-urlencoded|octet-stream))/i.test(type);

const FORMATS: Readonly<Record<DetectedContent['kind'], UploadFormat>> = {
  raster: 'image',
  svg: 'image',
  video: 'video',
  vast: 'vast',
  zip: 'html5_zip',
  html: 'html',
  script: 'tag',
};

const TYPES = {
  svg: 'image/svg+xml',
  vast: 'application/xml',
  zip: 'application/zip',
  html: 'text/html',
  script: 'text/javascript',
} as const;

function typeOf(content: DetectedContent): string {
  return content.kind === 'raster' || content.kind === 'video' ? content.type : TYPES[content.kind];
}

function unsupported(code: ErrorCode, message: string, path: string): Failure {
  return new Failure({ status: 415, code, errors: { [path]: [message] } });
}

function tooLarge(): Failure {
  const most = CREATIVE_MAX_BYTES.toLocaleString('en');
  const text = `must be at most ${most} bytes. Send a smaller file, or the URL of the creative.`;
  return new Failure({ status: 413, code: 'too_large', errors: { file: [text] } });
}
