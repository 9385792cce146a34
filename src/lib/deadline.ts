/** Something has not ended in the time that it had. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/** @throws DeadlineError saying so, when `work` has not ended after `ms`; the work itself goes on, its later failure is ignored. */
export async function withDeadline<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(`took longer than ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
