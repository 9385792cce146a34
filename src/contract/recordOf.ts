import { z } from 'zod';
import { timestamp } from '../domain/time.ts';

type Shown<Value> = Value extends Date ? string : Value;

/** The fields that a row has under the same name, with a value that the record can show. */
type OfRow<Record, Row> = {
  [Field in keyof Record & keyof Row]: undefined extends Record[Field]
    ? never
    : Shown<Row[Field]> extends Record[Field]
      ? Field
      : never;
}[keyof Record & keyof Row];

type Fields = Readonly<Record<string, unknown>>;

type Given<Record, Row> = Partial<Record> & Omit<Record, OfRow<Record, Row> | 'type'>;

/**
 * Makes the JSON of an object: the fields of its schema, in that order. `type` comes from the schema. A field that is not
 * given comes from the column of the same name, and times become timestamps. Optional fields are included only if given.
 * @param given the fields that the row does not have in the form of the record.
 */
export function recordOf<Schema extends z.ZodObject, Row extends object>(
  schema: Schema,
  row: Row,
  given: Given<z.output<Schema>, Row>,
): z.output<Schema>;
export function recordOf(schema: z.ZodObject, row: Fields, given: Fields): object {
  const record: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    if (Object.hasOwn(given, name)) record[name] = given[name];
    else if (field instanceof z.ZodLiteral) record[name] = field.value;
    else if (field._zod.optout !== 'optional') record[name] = shown(row[name]);
  }
  return record;
}

const shown = (value: unknown) => (value instanceof Date ? timestamp(value) : value);
