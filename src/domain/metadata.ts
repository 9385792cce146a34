/** Free pairs of texts that a client gives to an ad or a set, and that are returned wherever the ad or the set is. */
import { codePoints, isBlank, textFault } from './text.ts';

export type Metadata = Readonly<Record<string, string>>;

export const METADATA_MAX_PAIRS = 50;
/** Pairs by which a list is filtered. */
export const METADATA_FILTER_MAX = 3;
export const METADATA_KEY_MAX = 40;
export const METADATA_VALUE_MAX = 500;
/** A set repeats the pairs of an ad with each screenshot, so all pairs together have a maximum too. */
export const METADATA_MAX_BYTES = 4_096;

/** Pairs to set; null removes one. */
export type MetadataChange = Readonly<Record<string, string | null>>;

/** @param change null removes all pairs. @returns the pairs after the change; those that it does not name stay. */
export function changedMetadata(stored: Metadata, change: MetadataChange | null): Metadata {
  const removed = new Set(Object.entries(change ?? {}).flatMap(([key, value]) => (value === null ? [key] : [])));
  const kept = change === null ? [] : Object.entries(stored).filter(([key]) => !removed.has(key));
  const given = Object.entries(change ?? {}).filter((pair): pair is [string, string] => pair[1] !== null);
  return Object.fromEntries([...kept, ...given]);
}

/** @returns the keys whose values differ. */
export function changedKeys(before: Metadata, after: Metadata): string[] {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...old.keys(), ...now.keys()])].filter((key) => old.get(key) !== now.get(key)).toSorted();
}

export interface MetadataFault {
  /** The key whose value has the fault; absent if it concerns the whole, or the key itself. */
  readonly key?: string;
  readonly message: string;
}

/** @returns why the value is not valid metadata; empty if it is. */
export function metadataFaults(value: object): MetadataFault[] {
  const pairs = Object.entries(value);
  if (pairs.length > METADATA_MAX_PAIRS)
    return [{ message: `must have at most ${METADATA_MAX_PAIRS} pairs, but has ${pairs.length}.` }];
  const faults = pairs.flatMap(([key, text]) => pairFault(key, text) ?? []);
  if (faults.length > 0) return faults;
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes <= METADATA_MAX_BYTES) return [];
  const [most, has] = [METADATA_MAX_BYTES, bytes].map((number) => number.toLocaleString('en'));
  return [{ message: `must be at most ${most} bytes of JSON in all, but has ${has}.` }];
}

function pairFault(key: string, value: unknown): MetadataFault | undefined {
  if (isBlank(key) || codePoints(key) > METADATA_KEY_MAX || textFault(key) !== undefined)
    return { message: `has a key that is not a text of 1 to ${METADATA_KEY_MAX} characters.` };
  const message = valueFault(value);
  return message === undefined ? undefined : { key, message };
}

function valueFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string.';
  const length = codePoints(value);
  if (length > METADATA_VALUE_MAX) return `must be at most ${METADATA_VALUE_MAX} characters, but has ${length}.`;
  return textFault(value);
}
