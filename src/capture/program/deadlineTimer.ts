/** Ends a capture at the deadline of its attempt. */
import { type CaptureShutdown, deadlineError } from './captureShutdown.ts';

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
