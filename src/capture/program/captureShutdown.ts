/** The shutdown of a capture before its work is done: the reason, the exit code and the time for open calls. */

import { CAPTURE_EXIT } from '../../contract/captureProtocol.ts';
import { errorMessage } from '../../lib/errorMessage.ts';

/** Ends the capture. The operator reads `message`. */
export class CaptureEndError extends Error {
  readonly exitCode: number;
  /** The time to finish open uploads and to release claims. */
  readonly graceMs: number;

  constructor(message: string, { exitCode, graceMs }: { exitCode: number; graceMs: number }, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
    this.graceMs = graceMs;
  }
}

/** A newer attempt exists, or the job is settled or canceled. The API rejects all results of this attempt. */
export const supersededError = (message: string) =>
  new CaptureEndError(message, { exitCode: CAPTURE_EXIT.superseded, graceMs: 0 });

/** The internal API rejects the call for good. */
export const rejectedError = (message: string) =>
  new CaptureEndError(message, { exitCode: CAPTURE_EXIT.refused, graceMs: 2_000 });

const deadlineError = (message: string) =>
  new CaptureEndError(message, { exitCode: CAPTURE_EXIT.deadline, graceMs: 2_000 });

export const terminatedError = (message: string, graceMs: number) =>
  new CaptureEndError(message, { exitCode: CAPTURE_EXIT.terminated, graceMs });

/** @returns the error itself if it is a CaptureEndError, else one with the exit code of a crash. */
export function asCaptureEndError(error: unknown): CaptureEndError {
  if (error instanceof CaptureEndError) return error;
  const message = errorMessage(error);
  return new CaptureEndError(message, { exitCode: CAPTURE_EXIT.crashed, graceMs: 2_000 }, { cause: error });
}

/** The time for aborted calls to return. */
const AFTER_ABORT_MS = 500;

/** A shutdown has two steps: the capture starts no new work, then it aborts open calls. Only the first reason counts. */
export class CaptureShutdown {
  /** Aborts in the first step: no new work starts. Its reason is a {@link CaptureEndError}. */
  readonly stop: AbortSignal;
  /** Aborts in the second step: open calls end. */
  readonly abort: AbortSignal;
  /** Resolves a moment after `abort`. The program does not wait any longer. */
  readonly over: Promise<void>;
  readonly #stop = new AbortController();
  readonly #abort = new AbortController();
  #reason: CaptureEndError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #markOver: () => void = () => undefined;

  constructor() {
    this.stop = this.#stop.signal;
    this.abort = this.#abort.signal;
    this.over = new Promise((resolve) => {
      this.#markOver = resolve;
    });
  }

  get reason(): CaptureEndError | undefined {
    return this.#reason;
  }

  begin(reason: CaptureEndError): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#stop.abort(reason);
    if (reason.graceMs === 0) this.#abortOpenCalls(reason);
    else this.#timer = setTimeout(() => this.#abortOpenCalls(reason), reason.graceMs);
  }

  /** Called when all work has ended. */
  close(): void {
    clearTimeout(this.#timer);
  }

  #abortOpenCalls(reason: CaptureEndError): void {
    this.#abort.abort(reason);
    this.#timer = setTimeout(this.#markOver, AFTER_ABORT_MS);
  }
}

/** Node fires a timer with a longer delay at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** @returns the timer, which the caller clears. */
export function deadlineTimer(
  shutdown: CaptureShutdown,
  { deadlineAt, remainingMs }: { readonly deadlineAt: string; readonly remainingMs: number },
): NodeJS.Timeout {
  const end = () => shutdown.begin(deadlineError(`The deadline of the capture passed at ${deadlineAt}.`));
  return setTimeout(end, Math.min(Math.max(0, remainingMs), MAX_TIMER_MS));
}
