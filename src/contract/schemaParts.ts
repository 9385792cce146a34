/** Limits that the parsers check with code, as JSON schema for the API reference. */

/** Marks descriptions in the API reference of behavior that is specific to Tearsheet, because the shared interface does not define it. */
export const OURS = '*(Tearsheet extension)*';

/** A text that is not blank. */
export const NOT_BLANK = { minLength: 1, pattern: '\\S' };

type FieldSchema =
  | { readonly type: 'string' | 'integer' | 'object' }
  | { readonly type: 'array'; readonly minItems: number; readonly items: object }
  | { readonly $ref: string };

/** At least one of the fields is required, and not null. */
export function anyOf(fields: Readonly<Record<string, FieldSchema>>) {
  return { anyOf: choices(fields) };
}

/** Exactly one of the fields is required, and not null. */
export function oneOf(fields: Readonly<Record<string, FieldSchema>>) {
  return { oneOf: choices(fields) };
}

function choices(fields: Readonly<Record<string, FieldSchema>>) {
  return Object.entries(fields).map(([name, schema]) => ({ properties: { [name]: schema }, required: [name] }));
}
