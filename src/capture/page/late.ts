import { errors } from 'playwright';
import { DeadlineError } from '../../lib/deadline.ts';

/** Whether a part of the browser did not answer in time: it may be busy with another page. */
export function isLate(error: unknown): boolean {
  return error instanceof DeadlineError || error instanceof errors.TimeoutError;
}
