import type { z } from 'zod';
import type { FieldErrors } from '../domain/failure.ts';

/** A request with millions of faults does not get millions of messages. */
const MAX_FAULTS = 100;
/** A schema reports each wrong value of a part, so a part with more values could hold the event loop for seconds. */
export const MAX_VALUES = 25_000;

export function joinPath(...parts: readonly PropertyKey[]): string {
  return parts
    .map(String)
    .filter((part) => part !== '')
    .join('.');
}

/** Collects the faults of one body, by path. */
export class Faults {
  readonly #messages = new Map<string, string[]>();
  #count = 0;

  add(path: string, message: string): void {
    this.#count += 1;
    if (this.#count > MAX_FAULTS) return;
    this.#messages.set(path, [...(this.#messages.get(path) ?? []), message]);
  }

  addAll(errors: FieldErrors): void {
    for (const [path, messages] of Object.entries(errors)) for (const message of messages) this.add(path, message);
  }

  get any(): boolean {
    return this.#count > 0;
  }

  /** Whether there are more faults than an answer lists. A parser need not look for others. */
  get isFull(): boolean {
    return this.#count > MAX_FAULTS;
  }

  get errors(): FieldErrors {
    const errors: Record<string, string[]> = Object.fromEntries(this.#messages);
    if (this.isFull)
      errors['body'] = [...(errors['body'] ?? []), `has more faults: these are the first ${MAX_FAULTS}.`];
    return errors;
  }

  /** @returns the parsed value; undefined if it does not match the schema, after adding the faults under `prefix`. */
  read<S extends z.ZodType>(
    schema: S,
    value: unknown,
    prefix: string,
    maxValues = MAX_VALUES,
  ): z.output<S> | undefined {
    if (countValues(value, maxValues) > maxValues) {
      const most = maxValues.toLocaleString('en');
      this.add(prefix === '' ? 'body' : prefix, `must not have more than ${most} values inside it.`);
      return undefined;
    }
    const result = schema.safeParse(value, { error: defaultMessage });
    if (result.success) return result.data;
    for (const issue of result.error.issues) this.add(joinPath(prefix, ...issue.path), issue.message);
    return undefined;
  }
}

/** @returns the number of values inside a value; the function stops after `most`. */
function countValues(value: unknown, most: number): number {
  const open: unknown[] = [value];
  let count = 0;
  while (open.length > 0 && count <= most) {
    const part = open.pop();
    if (typeof part !== 'object' || part === null) continue;
    const children = Array.isArray(part) ? part.slice(0, most + 1) : Object.values(part);
    count += children.length;
    for (const child of children) open.push(child);
  }
  return count;
}

/** Messages for issues without a message in the schema. They say what to do. */
const defaultMessage: z.core.$ZodErrorMap = (issue) => {
  const missing = issue.input === undefined || issue.input === null;
  if (issue.code === 'invalid_type') {
    return missing
      ? `is required: ${article(issue.expected)}.`
      : `must be ${article(issue.expected)}, but is ${kindOf(issue.input)}.`;
  }
  if (issue.code === 'invalid_value') {
    const values = issue.values.map(String).join(', ');
    return missing ? `is required: one of ${values}.` : `must be one of: ${values}.`;
  }
  return undefined;
};

function article(expected: string): string {
  if (expected === 'int') return 'a whole number';
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number too large';
  return article(typeof value);
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
