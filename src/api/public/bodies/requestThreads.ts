/**
 * Reads large screenshot requests in threads, so that the event loop can serve other requests. A thread parses and
 * checks a body and sends back only what is stored, or the first faults.
 */
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { Faults } from '../../../contract/faults.ts';
import type { ParsedScreenshotRequest } from '../../../contract/parseScreenshotRequest.ts';
import type { RequestWarning } from '../../../contract/unknownFields.ts';
import { Failure } from '../../../domain/failure.ts';
import type { Limits } from '../../../domain/limits.ts';
import { ConcurrencyLimit } from '../../../lib/concurrencyLimit.ts';
import type { BodyToRead, ThreadAnswer } from './requestThread.ts';

/** Smaller bodies are read at once, because sending them to a thread costs more. */
export const LARGE_BYTES = 64 * 1024;
const THREADS = 2;
/** The senders' shares of the memory bound the large bodies; this bounds the others. */
const MAX_WAITING = 100;
const DEADLINE_MS = 30_000;
/** The compiled program has `.js` files. */
const THREAD = new URL(`./requestThread${path.extname(import.meta.url)}`, import.meta.url);

export interface ReadRequest {
  readonly parsed: ParsedScreenshotRequest;
  readonly warnings: readonly RequestWarning[];
  /** Hash of the bytes as the client sent them. */
  readonly sha256: Buffer;
}

export class RequestThreads {
  readonly #limits: Limits;
  readonly #turns = new ConcurrencyLimit(THREADS);
  readonly #idle: Worker[] = [];

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * Takes the bytes: the caller cannot read them afterwards.
   * @throws Failure: as `parseBody`; 503 if too many bodies wait; 413 if reading the body takes longer than 30 s.
   */
  read(body: Buffer, maxValues: number): Promise<ReadRequest> {
    if (this.#turns.waiting >= MAX_WAITING) throw overloaded();
    return this.#turns.run(() => this.#readInThread({ body: transferable(body), maxValues }));
  }

  async #readInThread(given: BodyToRead & { readonly body: Uint8Array<ArrayBuffer> }): Promise<ReadRequest> {
    const thread = this.#idle.pop() ?? this.#start();
    const answer = await answerOf(thread, given).catch(async (error: unknown) => {
      await thread.terminate();
      throw error;
    });
    this.#idle.push(thread);
    if ('failure' in answer) throw new Failure(answer.failure);
    const { parsed, faults, warnings, sha256 } = answer.result;
    return { parsed: { ...parsed, faults: new Faults(faults) }, warnings, sha256: Buffer.from(sha256) };
  }

  #start(): Worker {
    const thread = new Worker(THREAD, { workerData: this.#limits });
    // An idle thread does not keep the process alive, and its end fails no request.
    thread.unref();
    thread.on('error', () => undefined);
    thread.once('exit', () => {
      const at = this.#idle.indexOf(thread);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return thread;
  }
}

/** @returns the bytes with a buffer of their own. */
function transferable(body: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = body;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(body);
}

function answerOf(thread: Worker, given: BodyToRead & { readonly body: Uint8Array<ArrayBuffer> }) {
  const { promise, resolve, reject } = Promise.withResolvers<ThreadAnswer>();
  const end = (code: number) => reject(new Error(`The thread that reads requests ended with ${code}.`));
  const timer = setTimeout(() => reject(tooSlow()), DEADLINE_MS);
  thread.once('message', resolve).once('error', reject).once('exit', end);
  thread.postMessage(given, [given.body.buffer]);
  return promise.finally(() => {
    clearTimeout(timer);
    thread.off('message', resolve).off('error', reject).off('exit', end);
  });
}

function overloaded(): Failure {
  const text = 'Too many large requests wait to be read. Try again in a moment.';
  return new Failure({ status: 503, code: 'unavailable', errors: { body: [text] }, headers: { 'Retry-After': '2' } });
}

function tooSlow(): Failure {
  const text = `takes the service more than ${DEADLINE_MS / 1_000} s to read: send several requests.`;
  return new Failure({ status: 413, code: 'too_large', errors: { body: [text] } });
}
