/** How a capture ends before its work is done: for what reason, with which exit code, and how long what is in flight may take. */

import { CAPTURE_EXIT } from '../../contract/captureProtocol.ts';
import { errorMessage } from '../../lib/errorMessage.ts';

/** `message` is for the operator. */
export class CaptureEndError extends Error {
  override readonly name = 'CaptureEnd';
  readonly exitCode: number;
  /** For uploads in flight to finish, and claims to be given back. */
  readonly graceMs: number;

  constructor(message: string, { exitCode, graceMs }: { exitCode: number; graceMs: number }, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
    this.graceMs = graceMs;
  }
}

/** A newer attempt has taken over, or the job is settled or canceled: nothing of this one is wanted any more. */
export const supersededError = (message: string) =>
  new CaptureEndError(message, { exitCode: CAPTURE_EXIT.superseded, graceMs: 0 });

/** The internal API will not take this, however often it is sent. */
export const rejectedError = (message: string) =>
  new CaptureEndError(message, { exitCode: CAPTURE_EXIT.refused, graceMs: 2_000 });

export const deadlineError = (message: string) =>
  new CaptureEndError(message, { exitCode: CAPTURE_EXIT.deadline, graceMs: 2_000 });

export const terminatedError = (message: string, graceMs: number) =>
  new CaptureEndError(message, { exitCode: CAPTURE_EXIT.terminated, graceMs });

/** @returns the end that an error stands for; a crash, when it is not known better. */
export function asCaptureEndError(error: unknown): CaptureEndError {
  if (error instanceof CaptureEndError) return error;
  const message = errorMessage(error);
  return new CaptureEndError(message, { exitCode: CAPTURE_EXIT.crashed, graceMs: 2_000 }, { cause: error });
}

/** What has still to be done when all is over: a little more than nothing, so that aborted calls can return. */
const LAST_MOMENT_MS = 500;

/** The two moments at which a capture ends. The first reason stands. */
export class CaptureShutdown {
  /** No new work is begun. Its reason is the {@link CaptureEndError}. */
  readonly stop: AbortSignal;
  /** What is in flight ends too. */
  readonly abort: AbortSignal;
  /** Resolves a moment after `hard`: whatever has not returned by then is left behind. */
  readonly over: Promise<void>;
  readonly #stop = new AbortController();
  readonly #hard = new AbortController();
  #reason: CaptureEndError | undefined;
  #timer: NodeJS.Timeout | undefined;
  #markOver: () => void = () => undefined;

  constructor() {
    this.stop = this.#stop.signal;
    this.abort = this.#hard.signal;
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
    if (reason.graceMs === 0) this.#endHard(reason);
    else this.#timer = setTimeout(() => this.#endHard(reason), reason.graceMs);
  }

  /** All has ended, there is nothing to hurry any more. */
  close(): void {
    clearTimeout(this.#timer);
  }

  #endHard(reason: CaptureEndError): void {
    this.#hard.abort(reason);
    this.#timer = setTimeout(this.#markOver, LAST_MOMENT_MS);
  }
}
