/**
 * The bundle: all filter lists in one compiled form that a capture loads within milliseconds. It is one line of JSON, then the bytes of
 * the compiled rules, all compressed with gzip.
 */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';

/** The version of a list, as the provenance record has it. */
export const ListVersion = z.object({
  /** The file or the address. */
  source: z.string(),
  title: z.string().nullable(),
  version: z.string().nullable(),
  commit: z.string().nullable(),
  last_modified: z.string().nullable(),
  sha256: z.string(),
  /** Rules that Tearsheet uses, and rules of a kind that it does not use. */
  rules: z.number().int(),
  ignored: z.number().int(),
});
export type ListVersion = z.infer<typeof ListVersion>;

const Head = z.object({
  lists: z.array(ListVersion),
  /** The bytes of the compiled rules. */
  engine: z.number().int(),
  /** For each list, the number of rules whose ids follow the compiled rules, as 32-bit numbers. */
  ids: z.array(z.number().int()),
});

export interface Bundle {
  readonly lists: readonly ListVersion[];
  readonly engine: Uint8Array;
  /** For each list, the ids of its rules in ascending order. */
  readonly ids: readonly Uint32Array[];
}

/** The size of an uncompressed bundle. EasyList has 5 MB. */
const MAX_BYTES = 256 * 1024 * 1024;
const NEW_LINE = 10;

export function packBundle({ lists, engine, ids }: Bundle): Promise<Buffer> {
  const head = { lists: [...lists], engine: engine.length, ids: ids.map(({ length }) => length) };
  const numbers = ids.map((list) => Buffer.from(list.buffer, list.byteOffset, list.byteLength));
  return promisify(gzip)(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), engine, ...numbers]));
}

/** @throws Error if the bytes are no bundle. */
export async function unpackBundle(packed: Uint8Array): Promise<Bundle> {
  const bytes = await promisify(gunzip)(packed, { maxOutputLength: MAX_BYTES });
  const end = bytes.indexOf(NEW_LINE);
  const head = Head.parse(JSON.parse(bytes.subarray(0, end).toString('utf8')));
  let at = end + 1;
  const take = (length: number) => {
    at += length;
    // A copy, because numbers of 32 bits must begin at a multiple of four.
    return Uint8Array.from(bytes.subarray(at - length, at));
  };
  const engine = take(head.engine);
  return { lists: head.lists, engine, ids: head.ids.map((count) => new Uint32Array(take(count * 4).buffer)) };
}
