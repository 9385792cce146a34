/** @returns the message of whatever was thrown. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** @returns the first line of the message of whatever was thrown, at most `max` characters. */
export function shortErrorMessage(error: unknown, max = 200): string {
  return errorMessage(error).split('\n')[0]?.slice(0, max) ?? '';
}
