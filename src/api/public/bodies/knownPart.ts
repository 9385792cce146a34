/** Bounds what a thread sends back of a body, so that the event loop reads and checks it quickly. */
import { z } from 'zod';
import { isObject, joinPath, MAX_VALUES } from '../../../contract/faults.ts';
import { withoutWrappers } from '../../../contract/unknownFields.ts';
import { HTML_TAG_MAX_BYTES } from '../../../domain/ads.ts';
import { invalid } from '../../../domain/failure.ts';

/** No valid text is longer than an HTML tag. Up to this length, the checks of the field say what is wrong. */
const MAX_CHARACTERS = 4 * HTML_TAG_MAX_BYTES;

/**
 * @param schema of the request.
 * @returns a copy of a JSON value without the fields that the schema does not have.
 * @throws Failure (422) if the copy would have more values, or a longer text, than any valid body.
 */
export function knownPart(schema: z.ZodType | undefined, value: unknown): unknown {
  const most = MAX_VALUES.toLocaleString('en');
  const count = { left: MAX_VALUES };
  const copy = copyOf({ schema, value, path: '' }, count);
  if (count.left < 0) throw invalid({ body: [`must not have more than ${most} values inside it.`] });
  return copy;
}

interface Part {
  readonly schema: unknown;
  readonly value: unknown;
  readonly path: string;
}

function copyOf({ schema, value, path }: Part, count: { left: number }): unknown {
  if (typeof value === 'string') return bounded(value, path);
  if (typeof value !== 'object' || value === null) return value;
  const type = withoutWrappers(schema);
  const items = Array.isArray(value) ? Array.from(value, (item, index) => [index, item] as const) : undefined;
  const fields = items ?? knownFields(type, value);
  count.left -= fields.length;
  // The caller rejects the body.
  if (count.left < 0) return undefined;
  const copies = fields.map(([name, child]) => {
    const key = typeof name === 'number' ? name : bounded(name, path);
    const known = { schema: childSchema(type, name), value: child, path: joinPath(path, key) };
    return [key, copyOf(known, count)] as const;
  });
  return items === undefined ? Object.fromEntries(copies) : copies.map(([, copy]) => copy);
}

function knownFields(type: unknown, value: object): [string, unknown][] {
  const fields = Object.entries(value);
  return isClosed(type) ? fields.filter(([name]) => Object.hasOwn(type.shape, name)) : fields;
}

function childSchema(type: unknown, name: string | number): unknown {
  if (type instanceof z.ZodArray) return type.element;
  return isClosed(type) && isObject(type.shape) ? type.shape[name] : undefined;
}

const isClosed = (type: unknown): type is z.ZodObject => type instanceof z.ZodObject && type.def.catchall === undefined;

function bounded(text: string, path: string): string {
  if (text.length <= MAX_CHARACTERS) return text;
  const most = MAX_CHARACTERS.toLocaleString('en');
  throw invalid({ [path === '' ? 'body' : path]: [`must not have more than ${most} characters.`] });
}
