/** The faults of a request, and what it sends although the API does not know it: misspelled fields and query parameters. */
import { z } from 'zod';
import { type FieldErrors, invalid } from '../domain/failure.ts';
import { OURS } from './schemaParts.ts';

/** A part of a request that the service ignored. */
export const RequestWarning = z
  .object({
    path: z.string().describe('The whole path of the field in the body, or the name of the query parameter.'),
    message: z.string().describe('The problem, and what to do.'),
  })
  .meta({ id: 'RequestWarning', description: `A part of the request that the service ignored. ${OURS}` });

export type RequestWarning = z.infer<typeof RequestWarning>;

/** A request with millions of unknown fields does not get millions of messages. */
const MAX_WARNINGS = 100;
/** Longer names are cut, because the answer repeats them. */
const NAME_MAX = 200;

/** The fields that a part of a body may have; undefined for a part that may have any. */
export type KnownPart = KnownObject | { readonly items: KnownPart } | undefined;

interface KnownObject {
  readonly fields: ReadonlyMap<string, KnownPart>;
  readonly advice: string;
}

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

  /** Ends a request before the checks that need the database, whose faults the answer would not list. @throws Failure (422) */
  rejectIfFull(): void {
    if (this.isFull) throw invalid(this.errors);
  }

  get errors(): FieldErrors {
    const errors: Record<string, string[]> = Object.fromEntries(this.#messages);
    if (this.isFull)
      errors['body'] = [...(errors['body'] ?? []), `has more faults: these are the first ${MAX_FAULTS}.`];
    return errors;
  }

  /** @returns the parsed value; undefined if it does not match the schema, after adding the faults under `prefix`. */
  read<S extends z.ZodType>(schema: S, value: unknown, prefix: string): z.output<S> | undefined {
    if (countValues(value, MAX_VALUES) > MAX_VALUES) {
      const most = MAX_VALUES.toLocaleString('en');
      this.add(prefix === '' ? 'body' : prefix, `must not have more than ${most} values inside it.`);
      return undefined;
    }
    const result = readStart(schema, value) ?? schema.safeParse(value, { error: defaultMessage });
    if (result.success) return result.data;
    for (const issue of result.error.issues) this.add(joinPath(prefix, ...issue.path), issue.message);
    return undefined;
  }

  /** Checks a list or an object without its content. @param shell of its schema. @returns whether it has no fault. */
  readShell(shell: Shell, value: unknown, path: string): boolean {
    const [fault] = shell.safeParse(value, { error: defaultMessage }).error?.issues ?? [];
    // The first says it all: zod also checks the length of a text that should be a list.
    if (fault !== undefined) this.add(path, fault.message);
    return fault === undefined;
  }

  /** As {@link readShell}. @returns the unread items, also of a list that is too long. */
  readItems(shell: Shell, value: unknown, path: string): readonly unknown[] {
    this.readShell(shell, value, path);
    return Array.isArray(value) ? value : [];
  }
}

/** A schema of a list or an object that leaves its content unread. */
export type Shell = z.ZodType;

export function shellOf(schema: z.ZodArray | z.ZodObject): Shell {
  if (schema instanceof z.ZodArray) return schema.clone({ ...schema.def, element: z.unknown() });
  return schema.clone({ ...schema.def, shape: {}, catchall: z.unknown() });
}

/**
 * A schema checks all items of a list, although an answer lists few of their faults.
 * @returns the faults of the first items of the lists in an object; undefined if they have no more than an answer lists.
 */
function readStart<S extends z.ZodType>(schema: S, value: unknown): z.ZodSafeParseError<z.output<S>> | undefined {
  if (!isObject(value) || !(schema instanceof z.ZodObject)) return undefined;
  const long = Object.entries(value).filter(([name, field]) => isLongList(field, schema.shape[name]));
  if (long.length === 0) return undefined;
  const start = long.map(([name, field]) => [name, Array.isArray(field) ? field.slice(0, MAX_FAULTS + 1) : field]);
  const result = schema.safeParse({ ...value, ...Object.fromEntries(start) }, { error: defaultMessage });
  return result.success || result.error.issues.length <= MAX_FAULTS ? undefined : result;
}

/** @returns whether a field has more items than faults are listed. A list that is too long has only this fault. */
function isLongList(field: unknown, schema: unknown): boolean {
  const type = withoutWrappers(schema);
  if (!Array.isArray(field) || !(type instanceof z.ZodArray)) return false;
  const most = (type.def.checks ?? []).map(({ _zod: { def } }) => ('maximum' in def ? Number(def.maximum) : 0));
  return field.length > MAX_FAULTS && field.length <= Math.max(0, ...most);
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

export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns a warning for each parameter that is not among the known ones. */
export function unknownParameters(query: object, known: readonly string[]): RequestWarning[] {
  const names = Object.keys(query).filter((name) => !known.includes(name));
  return names.slice(0, MAX_WARNINGS).map((name) => ({
    path: shortened(name),
    message: `is not a query parameter of this request, so the service ignored it. ${advice('parameter', known)}`,
  }));
}

export function knownPart(schema: unknown): KnownPart {
  const type = withoutWrappers(schema);
  if (type instanceof z.ZodArray) return { items: knownPart(type.element) };
  if (!(type instanceof z.ZodObject) || type.def.catchall !== undefined) return undefined;
  const fields = Object.entries(type.shape).map(([name, field]) => [name, knownPart(field)] as const);
  return { fields: new Map(fields), advice: advice('field', Object.keys(type.shape)) };
}

/** @returns the schema without what makes it optional, nullable or transformed. */
export function withoutWrappers(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return withoutWrappers(schema.unwrap());
  return schema instanceof z.ZodPipe ? withoutWrappers(schema.in) : schema;
}

/** @returns a warning for each field that is not known, at most {@link MAX_WARNINGS}. */
export function unknownFields(known: KnownPart, body: unknown): RequestWarning[] {
  const warnings: RequestWarning[] = [];
  addUnknown(warnings, known, body, '');
  return warnings;
}

function addUnknown(warnings: RequestWarning[], known: KnownPart, value: unknown, path: string): void {
  if (known === undefined || warnings.length >= MAX_WARNINGS) return;
  if ('items' in known) {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) addUnknown(warnings, known.items, item, joinPath(path, index));
  } else if (isObject(value)) {
    addUnknownNames(warnings, known, value, path);
    for (const [name, field] of known.fields)
      if (Object.hasOwn(value, name)) addUnknown(warnings, field, value[name], joinPath(path, name));
  }
}

function addUnknownNames(warnings: RequestWarning[], known: KnownObject, value: JsonObject, path: string): void {
  for (const name in value) {
    if (warnings.length >= MAX_WARNINGS) return;
    if (known.fields.has(name) || !Object.hasOwn(value, name)) continue;
    const message = `is not a field of this object, so the service ignored it. ${known.advice}`;
    warnings.push({ path: joinPath(path, shortened(name)), message });
  }
}

const shortened = (name: string) => (name.length > NAME_MAX ? `${name.slice(0, NAME_MAX)}…` : name);

function advice(what: 'field' | 'parameter', known: readonly string[]): string {
  return known.length === 0 ? 'Remove it.' : `Remove it, or use a ${what} that exists: ${known.join(', ')}.`;
}
