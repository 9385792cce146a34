/** A thread of {@link BodyThreads}. It reads one body at a time. */
import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import type { FaultList, JsonObject } from '../../../contract/faults.ts';
import { type ParsedScreenshotRequest, screenshotRequestParser } from '../../../contract/parseScreenshotRequest.ts';
import { requestShapes } from '../../../contract/requestShapes.ts';
import { type RequestWarning, unknownFields } from '../../../contract/unknownFields.ts';
import type { ErrorCode } from '../../../domain/errorCodes.ts';
import { Failure, type FieldErrors } from '../../../domain/failure.ts';
import type { Limits } from '../../../domain/limits.ts';
import { runAtOnce } from '../../../lib/slices.ts';
import { inflateAtOnce } from './inflate.ts';
import { knownPart } from './knownPart.ts';
import { type BodyLimits, parseBody, tooManyBytes } from './parseBody.ts';
import type { ReceivedBody } from './receiveBody.ts';
import { partsOfEntries } from './requestParts.ts';

/** The method and the pattern of the path, which name the schema of a body. */
export interface RouteName {
  readonly method: string;
  readonly pattern: string;
}

export interface BodyToRead {
  readonly body: ReceivedBody;
  readonly limits: BodyLimits;
  readonly route: RouteName;
  /** `screenshot_request`: the thread also parses the JSON as such a request. */
  readonly wanted: 'json' | 'screenshot_request';
}

/** Everything in it can be sent to another thread. */
export interface ThreadResult {
  readonly sha256: Uint8Array;
  readonly warnings: readonly RequestWarning[];
  /** Empty for a screenshot request. */
  readonly value: JsonObject;
  readonly request: Omit<ParsedScreenshotRequest, 'faults' | 'entries'> | undefined;
  readonly faults: FaultList;
  /** See `requestParts.ts`. */
  readonly entries: readonly Uint8Array<ArrayBuffer>[];
}

export type ThreadAnswer =
  | { readonly result: ThreadResult }
  | { readonly failure: { readonly status: number; readonly code: ErrorCode; readonly errors: FieldErrors } };

const limits = workerData as Limits;
const parse = screenshotRequestParser(limits);
const shapeOf = requestShapes(limits);

async function read({ body, limits, route, wanted }: BodyToRead): Promise<ThreadResult> {
  const bytes = bytesOf(body, limits.bytes);
  const value = await parseBody(bytes, limits.values);
  const schema = shapeOf(route.method, route.pattern)?.body;
  const warnings = schema === undefined ? [] : runAtOnce(unknownFields(schema, value));
  const about = { sha256: createHash('sha256').update(bytes).digest(), warnings };
  if (wanted === 'json') {
    const known = knownPart(schema, value) as JsonObject;
    return { ...about, value: known, request: undefined, faults: { count: 0, messages: [] }, entries: [] };
  }
  const { faults, entries, ...request } = runAtOnce(parse(value));
  return { ...about, value: {}, request, faults: faults.list, entries: partsOfEntries(entries) };
}

function bytesOf({ parts, encoding, bytes }: ReceivedBody, max: number): Buffer {
  const joined = Buffer.concat(parts, bytes);
  const inflated = encoding === undefined ? joined : inflateAtOnce(joined, encoding, max);
  if (inflated === undefined) throw tooManyBytes(max);
  return inflated;
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

async function handle(given: BodyToRead): Promise<void> {
  const sent = await answer(given);
  parentPort?.postMessage(sent, 'result' in sent ? sent.result.entries.map(({ buffer }) => buffer) : []);
}

// Another error ends the thread, and so the request that it reads.
parentPort?.on('message', (given: BodyToRead) => void handle(given));
