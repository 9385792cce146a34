/** The field `metadata` of requests and records. */
import { z } from 'zod';
import {
  METADATA_FILTER_MAX,
  METADATA_KEY_MAX,
  METADATA_MAX_BYTES,
  METADATA_MAX_PAIRS,
  METADATA_VALUE_MAX,
  type Metadata,
  type MetadataFault,
  metadataFaults,
} from '../domain/metadata.ts';
import { isObject, kindOf } from './faults.ts';
import { NOT_BLANK, OURS } from './schemaParts.ts';

/** `z.record` would drop a key such as `__proto__`, so code checks the pairs. */
const pairs = (faultsOf: (value: unknown) => readonly MetadataFault[]) =>
  z.unknown().transform((value, context): Metadata => {
    const faults = faultsOf(value);
    if (faults.length === 0 && isMetadata(value)) return value;
    for (const { key, message } of faults)
      context.addIssue({ code: 'custom', message, path: key === undefined ? [] : [key] });
    return z.NEVER;
  });

const asSchema = (maxProperties: number) => ({
  type: 'object' as const,
  maxProperties,
  propertyNames: { ...NOT_BLANK, maxLength: METADATA_KEY_MAX },
  additionalProperties: { type: 'string' as const, maxLength: METADATA_VALUE_MAX },
});

export const GivenMetadata = pairs((value) =>
  isObject(value) ? metadataFaults(value) : [{ message: `must be an object, but is ${kindOf(value)}.` }],
).meta({
  override: asSchema(METADATA_MAX_PAIRS),
  description: `Custom key-value pairs of text, which are returned in every record and event. At most ${METADATA_MAX_PAIRS}, with keys of at most ${METADATA_KEY_MAX} characters, and ${METADATA_MAX_BYTES.toLocaleString('en')} bytes of JSON in all. ${OURS}`,
});

/** As `metadata[key]=value` in the query of a list. */
export const MetadataFilter = pairs((value) =>
  isObject(value) ? filterFaults(value) : [{ message: 'must be given as metadata[key]=value.' }],
)
  .optional()
  .meta({
    override: asSchema(METADATA_FILTER_MAX),
    param: { style: 'deepObject', explode: true },
    description: `Only with all these pairs of metadata, at most ${METADATA_FILTER_MAX}: \`metadata[order]=4711\`. ${OURS}`,
  });

function filterFaults(value: object): readonly MetadataFault[] {
  const pairs = Object.keys(value).length;
  if (pairs > METADATA_FILTER_MAX)
    return [{ message: `must have at most ${METADATA_FILTER_MAX} pairs, but has ${pairs}.` }];
  return metadataFaults(value).map((fault) =>
    fault.message === 'must be a string.' ? { ...fault, message: 'must be given once.' } : fault,
  );
}

function isMetadata(value: unknown): value is Metadata {
  return isObject(value) && metadataFaults(value).length === 0;
}

export const metadata = z
  .record(z.string(), z.string())
  .describe(`The custom pairs of the client; empty if there are none. ${OURS}`);
