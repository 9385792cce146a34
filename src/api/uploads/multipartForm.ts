/** Reads a multipart form with fields and several files. Each file is read as a stream, one after the other. */
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import type { Request } from 'express';
import { Failure } from '../../domain/failure.ts';
import { errorMessage } from '../../lib/errorMessage.ts';
import { malformed, type ReceivedFile } from './multipart.ts';

/** The values of a form by the names of its fields, in the order in which they were sent. */
export type FormFields = ReadonlyMap<string, readonly string[]>;

export interface FormLimits {
  readonly files: number;
  readonly fields: number;
  /** Bytes of one value, and of all names and values. */
  readonly fieldBytes: number;
  readonly allFieldBytes: number;
}

/**
 * @param onFile receives each file with the fields before it. The rest that it does not read is discarded.
 * @returns all fields, after the last file.
 * @throws Failure 400, 413, and the errors of `onFile`. Then the rest of the body is discarded.
 */
export function readMultipartForm(
  request: Request,
  limits: FormLimits,
  onFile: (file: ReceivedFile, fields: FormFields) => Promise<void>,
): Promise<FormFields> {
  const parser = createParser(request, limits);
  const fields = new Map<string, string[]>();
  const streams: Readable[] = [];
  const ended = Promise.withResolvers<FormFields>();
  let bytes = 0;
  let files: Promise<void> = Promise.resolve();
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
  parser.on('file', (_field, stream: Readable, name: string | undefined) => {
    streams.push(stream);
    // An error event without a listener would end the process. The reader of the chunks gets the error too.
    stream.on('error', fail);
    const chunks = stream.iterator({ destroyOnReturn: false });
    const read = () => (failed ? undefined : onFile({ name: name ?? '', chunks }, fields));
    files = readOne(files.then(read), () => discard(stream, chunks));
    files.catch(fail);
  });
  parser.on('filesLimit', () => fail(tooLarge('file', `must be at most ${limits.files} files at once.`)));
  for (const limit of ['fieldsLimit', 'partsLimit'] as const)
    parser.on(limit, () => fail(tooLarge('form', 'has too many fields.')));
  parser.on('error', (error: unknown) => fail(malformed(errorMessage(error))));
  parser.on('finish', () => void files.then(() => ended.resolve(fields), fail));
  request.once('error', (error) => fail(malformed(error.message)));
  request.pipe(parser);
  return ended.promise;
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

function createParser(request: Request, { files, fields, fieldBytes }: FormLimits): ReturnType<typeof Busboy> {
  const type = request.get('content-type') ?? '';
  const limits = { files, fields, parts: files + fields, fieldSize: fieldBytes, fieldNameSize: 200, headerPairs: 20 };
  try {
    return Busboy({ headers: { ...request.headers, 'content-type': type }, limits, preservePath: true });
  } catch (error) {
    throw malformed(errorMessage(error));
  }
}

function tooLarge(path: string, message: string): Failure {
  return new Failure({ status: 413, code: 'too_large', errors: { [path]: [message] } });
}
