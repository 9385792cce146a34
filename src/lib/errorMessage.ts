/** @returns the message of whatever was thrown. It never throws itself, because error handlers call it. */
export function errorMessage(error: unknown): string {
  try {
    // If connections to several addresses fail, only the inner errors have messages.
    if (error instanceof AggregateError && error.message === '') return error.errors.map(errorMessage).join('; ');
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'an error without a message';
  }
}

/** @returns the name that the error gives itself, or else that of its class. */
export function errorName(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return error.name === 'Error' ? error.constructor.name : error.name;
}

/** @returns the first line of the message of whatever was thrown, at most `max` characters. */
export function shortErrorMessage(error: unknown, max = 200): string {
  return errorMessage(error).split('\n')[0]?.slice(0, max) ?? '';
}
