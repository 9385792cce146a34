/** Finds what a request sends although the API does not know it: misspelled fields and query parameters. */
import { z } from 'zod';
import { OURS } from './descriptions.ts';
import { isObject, joinPath } from './faults.ts';

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

/** Reads a body in steps. @returns a warning for each field that the schema does not have, at most {@link MAX_WARNINGS}. */
export function* unknownFields(schema: z.ZodType, body: unknown): Generator<undefined, RequestWarning[]> {
  const warnings: RequestWarning[] = [];
  const open: { schema: unknown; value: unknown; path: string }[] = [{ schema, value: body, path: '' }];
  for (let part = open.pop(); part !== undefined && warnings.length < MAX_WARNINGS; part = open.pop()) {
    const { value, path } = part;
    const type = withoutWrappers(part.schema);
    if (type instanceof z.ZodArray && Array.isArray(value)) {
      for (const [index, item] of [...value.entries()].reverse())
        open.push({ schema: type.element, value: item, path: joinPath(path, index) });
    } else if (type instanceof z.ZodObject && isObject(value) && type.def.catchall === undefined) {
      addUnknown(warnings, { value, path, known: Object.keys(type.shape) });
      for (const [name, field] of Object.entries(type.shape).reverse())
        if (Object.hasOwn(value, name)) open.push({ schema: field, value: value[name], path: joinPath(path, name) });
    }
    yield;
  }
  return warnings;
}

export function withoutWrappers(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return withoutWrappers(schema.unwrap());
  return schema instanceof z.ZodPipe ? withoutWrappers(schema.in) : schema;
}

function addUnknown(
  warnings: RequestWarning[],
  { value, path, known }: { value: object; path: string; known: readonly string[] },
): void {
  for (const name in value) {
    if (warnings.length >= MAX_WARNINGS) return;
    if (known.includes(name) || !Object.hasOwn(value, name)) continue;
    const message = `is not a field of this object, so the service ignored it. ${advice('field', known)}`;
    warnings.push({ path: joinPath(path, shortened(name)), message });
  }
}

const shortened = (name: string) => (name.length > NAME_MAX ? `${name.slice(0, NAME_MAX)}…` : name);

function advice(what: 'field' | 'parameter', known: readonly string[]): string {
  return known.length === 0 ? 'Remove it.' : `Remove it, or use a ${what} that exists: ${known.join(', ')}.`;
}
