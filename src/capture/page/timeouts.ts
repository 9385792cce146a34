import { errors } from 'playwright';
import { DeadlineError } from '../../lib/deadline.ts';

/** Whether a part of the browser did not answer in time, perhaps because it was busy with another page. */
export function isTimeout(error: unknown): boolean {
  return error instanceof DeadlineError || error instanceof errors.TimeoutError;
}
