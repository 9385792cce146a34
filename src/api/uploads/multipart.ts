/** Reads multipart bodies as streams: one file, or a form with fields and several files, one after the other. */
import type { Readable } from 'node:stream';
import { Busboy, type BusboyConfig } from '@fastify/busboy';
import type { Request } from 'express';
import { Failure, invalid } from '../../domain/failure.ts';
import { errorMessage } from '../../lib/errorMessage.ts';

/** The values of a form by the names of its fields, in the order in which they were sent. */
export type FormFields = ReadonlyMap<string, readonly string[]>;

interface FormLimits {
  readonly files: number;
  readonly fields: number;
  /** Bytes of one value, and of all names and values. */
  readonly fieldBytes: number;
  readonly allFieldBytes: number;
}

export interface ReceivedFile {
  /** As the client sent it. */
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer>;
}

export interface FormFile extends ReceivedFile {
  /** The name of the field of the form. */
  readonly field: string;
}

/** Other parts than the file are ignored; more than these are a mistake. */
const LIMITS = { files: 1, fields: 20, parts: 22, fieldSize: 4_096, fieldNameSize: 200, headerPairs: 20 };
const ONE_FILE = 'must have exactly one file: send several requests for several files.';

type Parser = ReturnType<typeof Busboy>;
type FileStream = Readable & AsyncIterable<Buffer>;

/** @returns the file as soon as it begins. `chunks` throws Failure (400, 422) if the rest of the body is at fault. */
export function openMultipart(request: Request): Promise<ReceivedFile> {
  const parser = createParser(request, LIMITS);
  const opened = Promise.withResolvers<ReceivedFile>();
  /** The fault of the body, or undefined; known at its end. */
  const ended = Promise.withResolvers<Error | undefined>();
  let file: FileStream | undefined;
  const fail = (error: Error) => {
    if (file?.destroyed) return;
    request.unpipe(parser);
    // Reads on, so that the client receives the answer.
    request.resume();
    opened.reject(error);
    ended.resolve(error);
    file?.destroy(error);
  };
  parser.on('file', (_field: string, stream: FileStream, name: string | undefined) => {
    file = stream;
    // The reader may have ended before. An error event without a listener would end the process.
    stream.on('error', (error) => fail(error instanceof Failure ? error : malformed(error.message)));
    opened.resolve({ name: name ?? '', chunks: chunksOf(stream, ended.promise) });
  });
  parser.on('filesLimit', () => fail(invalid({ file: [ONE_FILE] })));
  parser.on('partsLimit', () =>
    fail(invalid({ body: [`must have at most ${LIMITS.parts} parts, one of them a file.`] })),
  );
  parser.on('error', (error: unknown) => fail(malformed(errorMessage(error))));
  parser.on('finish', () => {
    opened.reject(
      invalid({ file: ['is required: send the bytes as the body, or as one file of multipart/form-data.'] }),
    );
    ended.resolve(undefined);
  });
  request.once('error', (error) => fail(malformed(error.message)));
  request.pipe(parser);
  return opened.promise;
}

async function* chunksOf(file: FileStream, ended: Promise<Error | undefined>): AsyncGenerator<Buffer> {
  yield* file;
  const fault = await ended;
  if (fault !== undefined) throw fault;
}

function createParser(request: Request, limits: BusboyConfig['limits']): Parser {
  const type = request.get('content-type') ?? '';
  try {
    return Busboy({ headers: { ...request.headers, 'content-type': type }, limits, preservePath: true });
  } catch (error) {
    throw malformed(errorMessage(error));
  }
}

export function malformed(reason: string): Failure {
  const text = `could not be read to its end (${reason}): its length or its form differs from the headers.`;
  return new Failure({ status: 400, code: 'malformed', errors: { body: [text] } });
}

/**
 * @param onFile receives each file with the fields before it. The rest that it does not read is discarded.
 * @returns all fields, after the last file.
 * @throws Failure 400, 413, and the errors of `onFile`. Then the rest of the body is discarded.
 */
export function readMultipartForm(
  request: Request,
  limits: FormLimits,
  onFile: (file: FormFile, fields: FormFields) => Promise<void>,
): Promise<FormFields> {
  const { files, fields: most, fieldBytes } = limits;
  const headerLimits = { parts: files + most, fieldSize: fieldBytes, fieldNameSize: 200, headerPairs: 20 };
  const parser = createParser(request, { files, fields: most, ...headerLimits });
  const fields = new Map<string, string[]>();
  const streams: Readable[] = [];
  const ended = Promise.withResolvers<FormFields>();
  let bytes = 0;
  let reading: Promise<void> = Promise.resolve();
  let failed = false;
  const fail = (error: unknown) => {
    if (failed) return;
    failed = true;
    request.unpipe(parser);
    // Reads on, so that the client receives the answer.
    request.resume();
    ended.reject(error);
    for (const stream of streams) stream.destroy(error instanceof Error ? error : undefined);
  };
  parser.on('field', (name, value, nameTruncated, valueTruncated) => {
    bytes += name.length + value.length;
    if (nameTruncated || valueTruncated || bytes > limits.allFieldBytes) fail(tooLarge('form', 'is too long.'));
    fields.set(name, [...(fields.get(name) ?? []), value]);
  });
  parser.on('file', (field, stream: Readable, name: string | undefined) => {
    streams.push(stream);
    // An error event without a listener would end the process. The reader of the chunks gets the error too.
    stream.on('error', fail);
    const chunks = stream.iterator({ destroyOnReturn: false });
    const read = () => (failed ? undefined : onFile({ field, name: name ?? '', chunks }, fields));
    reading = readOne(reading.then(read), () => discard(stream, chunks));
    reading.catch(fail);
  });
  parser.on('filesLimit', () => fail(tooLarge('file', `must be at most ${limits.files} files at once.`)));
  for (const limit of ['fieldsLimit', 'partsLimit'] as const)
    parser.on(limit, () => fail(tooLarge('form', 'has too many fields.')));
  parser.on('error', (error: unknown) => fail(malformed(errorMessage(error))));
  parser.on('finish', () => void reading.then(() => ended.resolve(fields), fail));
  request.once('error', (error) => fail(malformed(error.message)));
  request.pipe(parser);
  return ended.promise;
}

const ONE_FILE_LIMITS = { files: 1, fields: 20, fieldBytes: 8_192, allFieldBytes: 20 * 8_192 };

/**
 * Reads a form with one small file, and sets its fields as the body of the request.
 * @returns the file; empty if none was chosen, and longer than `maxBytes` if it is too large. @throws Failure (400, 413)
 */
export async function readFormWithFile(request: Request, maxBytes: number): Promise<Buffer> {
  if (!request.is('multipart/form-data')) throw malformed('the body is no multipart/form-data');
  let file = Buffer.alloc(0);
  const fields = await readMultipartForm(request, ONE_FILE_LIMITS, async ({ chunks }) => {
    for await (const chunk of chunks) {
      file = Buffer.concat([file, chunk]);
      if (file.length > maxBytes) break;
    }
  });
  request.body = Object.fromEntries([...fields].map(([name, [value]]) => [name, value]));
  return file;
}

/** @throws the failure of the file, after the rest of it was read too. */
async function readOne(file: Promise<void>, discardRest: () => Promise<void>): Promise<void> {
  try {
    await file;
  } finally {
    await discardRest();
  }
}

/** Reads on to the end of a file. Otherwise the parser would wait, and the next part would never come. */
async function discard(stream: Readable, chunks: AsyncIterator<unknown>): Promise<void> {
  for (let next = await chunks.next(); !next.done; next = await chunks.next());
  stream.resume();
}

function tooLarge(path: string, message: string): Failure {
  return new Failure({ status: 413, code: 'too_large', errors: { [path]: [message] } });
}
