/** Reads the one file of a multipart body as a stream. */
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import type { Request } from 'express';
import { Failure, invalid } from '../../domain/failure.ts';
import { errorMessage } from '../../lib/errorMessage.ts';

export interface ReceivedFile {
  /** As the client sent it. */
  readonly name: string;
  readonly chunks: AsyncIterable<Buffer>;
}

/** Other parts than the file are ignored; more than these are a mistake. */
const LIMITS = { files: 1, fields: 20, parts: 22, fieldSize: 4_096, fieldNameSize: 200, headerPairs: 20 };
const ONE_FILE = 'must have exactly one file: send several requests for several files.';

type Parser = ReturnType<typeof Busboy>;
type FileStream = Readable & AsyncIterable<Buffer>;

/** @returns the file as soon as it begins. `chunks` throws Failure (400, 422) if the rest of the body is at fault. */
export function openMultipart(request: Request): Promise<ReceivedFile> {
  const parser = createParser(request);
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

function createParser(request: Request): Parser {
  const type = request.get('content-type') ?? '';
  try {
    return Busboy({ headers: { ...request.headers, 'content-type': type }, limits: LIMITS, preservePath: true });
  } catch (error) {
    throw malformed(errorMessage(error));
  }
}

export function malformed(reason: string): Failure {
  const text = `could not be read to its end (${reason}): its length or its form differs from the headers.`;
  return new Failure({ status: 400, code: 'malformed', errors: { body: [text] } });
}
