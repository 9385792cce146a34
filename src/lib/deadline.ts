import { secondsText } from './secondsText.ts';

/** Thrown when work takes longer than its limit. */
export class DeadlineError extends Error {}

/**
 * Waits for `work` at most `ms` milliseconds. The work itself continues, and its later failure is ignored.
 * @throws DeadlineError
 */
export async function withDeadline<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(`took longer than ${secondsText(ms)}`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
