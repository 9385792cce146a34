import type { ZodSafeParseResult } from 'zod';

/** One sentence for each field at fault; the field is its subject. */
export type FieldFaults = Readonly<Record<string, string>>;

/** @returns the first fault of each field. */
export function fieldFaults(result: ZodSafeParseResult<unknown>): FieldFaults {
  if (result.success) return {};
  return Object.fromEntries(result.error.issues.toReversed().map(({ path, message }) => [String(path[0]), message]));
}
