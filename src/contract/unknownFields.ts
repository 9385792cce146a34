/** Finds what a request sends although the API does not know it: misspelled fields and query parameters. */
import { z } from 'zod';
import { isObject, type JsonObject, joinPath } from './faults.ts';
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

/** @returns a warning for each parameter that is not among the known ones. */
export function unknownParameters(query: object, known: readonly string[]): RequestWarning[] {
  const names = Object.keys(query).filter((name) => !known.includes(name));
  return names.slice(0, MAX_WARNINGS).map((name) => ({
    path: shortened(name),
    message: `is not a query parameter of this request, so the service ignored it. ${advice('parameter', known)}`,
  }));
}

/** The fields that a part of a body may have; undefined for a part that may have any. */
export type KnownPart = KnownObject | { readonly items: KnownPart } | undefined;

interface KnownObject {
  readonly fields: ReadonlyMap<string, KnownPart>;
  readonly advice: string;
}

export function knownPart(schema: unknown): KnownPart {
  const type = withoutWrappers(schema);
  if (type instanceof z.ZodArray) return { items: knownPart(type.element) };
  if (!(type instanceof z.ZodObject) || type.def.catchall !== undefined) return undefined;
  const fields = Object.entries(type.shape).map(([name, field]) => [name, knownPart(field)] as const);
  return { fields: new Map(fields), advice: advice('field', Object.keys(type.shape)) };
}

function withoutWrappers(schema: unknown): unknown {
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
