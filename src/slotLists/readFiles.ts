import { readFileSync } from 'node:fs';
import { errorMessage } from '../lib/errorMessage.ts';
import type { ListText } from './compile.ts';
import { listTextOf, SlotListError } from './listText.ts';

/** @throws SlotListError if a file cannot be read or is not a filter list. */
export function readListFiles(files: readonly string[]): ListText[] {
  return files.map((source) => ({ source, text: listTextOf(source, readList(source)) }));
}

function readList(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new SlotListError(`The filter list ${file} cannot be read: ${errorMessage(error)}.`, { cause: error });
  }
}
