/**
 * Reads large bodies in threads, so that the event loop can serve other requests. A thread joins, decompresses, parses
 * and checks a body. It sends back only what the service can use, or the first faults.
 */
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { Faults, type JsonObject } from '../../../contract/faults.ts';
import type { ParsedScreenshotRequest } from '../../../contract/parseScreenshotRequest.ts';
import type { RequestWarning } from '../../../contract/unknownFields.ts';
import { Failure } from '../../../domain/failure.ts';
import type { Limits } from '../../../domain/limits.ts';
import { ConcurrencyLimit } from '../../../lib/concurrencyLimit.ts';
import { runInSlices } from '../../../lib/slices.ts';
import type { BodyToRead, ThreadAnswer, ThreadResult } from './bodyThread.ts';
import { abandoned } from './receiveBody.ts';
import { entriesOfParts } from './requestParts.ts';

const THREADS = 2;
/** The senders' shares of the memory bound the large bodies; this bounds the others. */
const MAX_WAITING = 100;
const DEADLINE_MS = 30_000;
/** The compiled program has `.js` files. */
const THREAD = new URL(`./bodyThread${path.extname(import.meta.url)}`, import.meta.url);

export type LargeBody = Omit<BodyToRead, 'wanted'>;

interface AboutBody {
  readonly warnings: readonly RequestWarning[];
  /** Hash of the JSON as the client sent it. */
  readonly sha256: Buffer;
}

export interface ReadJson extends AboutBody {
  /** Without unknown fields. */
  readonly value: JsonObject;
}

export interface ReadRequest extends AboutBody {
  readonly parsed: ParsedScreenshotRequest;
}

export interface BodyThreadsOptions {
  readonly deadlineMs?: number;
  /** The program of the threads. */
  readonly program?: URL;
}

export class BodyThreads {
  readonly #limits: Limits;
  readonly #turns = new ConcurrencyLimit(THREADS);
  readonly #idle: Worker[] = [];
  readonly #deadlineMs: number;
  readonly #program: URL;

  constructor(limits: Limits, { deadlineMs = DEADLINE_MS, program = THREAD }: BodyThreadsOptions = {}) {
    this.#limits = limits;
    this.#deadlineMs = deadlineMs;
    this.#program = program;
  }

  /**
   * Takes the bytes: the caller cannot read them afterwards.
   * @param signal aborts when nobody waits for the result any more. A thread still finishes the body that it reads.
   * @throws Failure: as `parseBody`; 422 if the known fields are larger than those of any valid body; 503 if too many bodies wait; 413 if
   *   reading the body takes longer than 30 s. Error if the thread crashes.
   */
  async readJson(body: LargeBody, signal?: AbortSignal): Promise<ReadJson> {
    const { value, warnings, sha256 } = await this.#read({ ...body, wanted: 'json' }, signal);
    return { value, warnings, sha256: Buffer.from(sha256) };
  }

  /** As {@link readJson}. The faults of the request are in the result. */
  async readRequest(body: LargeBody, signal?: AbortSignal): Promise<ReadRequest> {
    const result = await this.#read({ ...body, wanted: 'screenshot_request' }, signal);
    const { request, faults, warnings, sha256 } = result;
    if (request === undefined) throw new Error('unreachable: the thread read another kind of body');
    const entries = await runInSlices(entriesOfParts(result.entries));
    return { parsed: { ...request, entries, faults: new Faults(faults) }, warnings, sha256: Buffer.from(sha256) };
  }

  async #read(given: BodyToRead, signal?: AbortSignal): Promise<ThreadResult> {
    if (this.#turns.waiting >= MAX_WAITING) throw overloaded();
    const answer = await this.#turns.run(() => {
      if (signal?.aborted) throw abandoned();
      return this.#readInThread(given);
    });
    if (signal?.aborted) throw abandoned();
    if ('failure' in answer) throw new Failure(answer.failure);
    return answer.result;
  }

  async #readInThread(given: BodyToRead): Promise<ThreadAnswer> {
    const thread = this.#idle.pop() ?? this.#start();
    const answer = await this.#answerOf(thread, given).catch(async (error: unknown) => {
      await thread.terminate();
      throw error;
    });
    this.#idle.push(thread);
    return answer;
  }

  #start(): Worker {
    const thread = new Worker(this.#program, { workerData: this.#limits });
    // An idle thread does not keep the process alive, and its end fails no request.
    thread.unref();
    thread.on('error', () => undefined);
    thread.once('exit', () => {
      const at = this.#idle.indexOf(thread);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return thread;
  }

  #answerOf(thread: Worker, given: BodyToRead): Promise<ThreadAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
    const end = (code: number) => reject(new Error(`The thread that reads bodies ended with ${code}.`));
    const seconds = this.#deadlineMs / 1_000;
    const timer = setTimeout(() => reject(tooSlow(seconds)), this.#deadlineMs);
    thread.once('message', resolve).once('error', reject).once('exit', end);
    thread.postMessage(
      given,
      given.body.parts.map(({ buffer }) => buffer),
    );
    return promise.finally(() => {
      clearTimeout(timer);
      thread.off('message', resolve).off('error', reject).off('exit', end);
    });
  }
}

function overloaded(): Failure {
  const text = 'Too many large requests wait to be read. Try again in a moment.';
  return new Failure({ status: 503, code: 'unavailable', errors: { body: [text] }, headers: { 'Retry-After': '2' } });
}

function tooSlow(seconds: number): Failure {
  const text = `takes the service more than ${seconds} s to read: send several requests.`;
  return new Failure({ status: 413, code: 'too_large', errors: { body: [text] } });
}
