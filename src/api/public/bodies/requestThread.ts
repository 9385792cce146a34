/** A thread of {@link RequestThreads}. It reads one body at a time. */
import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import type { FaultList } from '../../../contract/faults.ts';
import { type ParsedScreenshotRequest, screenshotRequestParser } from '../../../contract/parseScreenshotRequest.ts';
import { requestBodies } from '../../../contract/requests.ts';
import { type RequestWarning, unknownFields } from '../../../contract/unknownFields.ts';
import type { ErrorCode } from '../../../domain/errorCodes.ts';
import { Failure, type FieldErrors } from '../../../domain/failure.ts';
import type { Limits } from '../../../domain/limits.ts';
import { runAtOnce } from '../../../lib/slices.ts';
import { parseBody } from './parseBody.ts';

export interface BodyToRead {
  readonly body: Uint8Array;
  readonly maxValues: number;
}

/** Everything in it can be sent to another thread. */
export interface ThreadResult {
  readonly sha256: Uint8Array;
  readonly warnings: readonly RequestWarning[];
  readonly parsed: Omit<ParsedScreenshotRequest, 'faults'>;
  readonly faults: FaultList;
}

export type ThreadAnswer =
  | { readonly result: ThreadResult }
  | { readonly failure: { readonly status: number; readonly code: ErrorCode; readonly errors: FieldErrors } };

const limits = workerData as Limits;
const parse = screenshotRequestParser(limits);
const schema = requestBodies(limits).CreateScreenshotRequest;

async function read({ body, maxValues }: BodyToRead): Promise<ThreadResult> {
  const value = await parseBody(Buffer.from(body.buffer, body.byteOffset, body.byteLength), maxValues);
  const warnings = runAtOnce(unknownFields(schema, value));
  const { faults, ...parsed } = runAtOnce(parse(value));
  return { sha256: createHash('sha256').update(body).digest(), warnings, parsed, faults: faults.list };
}

async function answer(given: BodyToRead): Promise<ThreadAnswer> {
  try {
    return { result: await read(given) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { status, code, errors } = error;
    return { failure: { status, code, errors } };
  }
}

// Another error ends the thread, and so the request that it reads.
parentPort?.on('message', (given: BodyToRead) => void answer(given).then((sent) => parentPort?.postMessage(sent)));
