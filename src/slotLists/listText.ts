/** Reads the text of a filter list, and says what is wrong with a text that is none. */
import { parseFilter } from '@ghostery/adblocker';

/** A file or an address does not contain a filter list. `message` names it and says what was found. */
export class SlotListError extends Error {
  override readonly name = 'SlotListError';
}

/** @param source the file or the address, for the message. @throws SlotListError if the bytes are not a filter list. */
export function listTextOf(source: string, bytes: Uint8Array): string {
  const fail = (fault: string) => new SlotListError(`${source} is not a filter list: ${fault}.`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw fail('it is not UTF-8 text');
  }
  if (text.trim() === '') throw fail('it is empty');
  if (text.includes('\0')) throw fail('it is a binary file');
  if (/^\s*<(!doctype|html|\?xml|head|body)/i.test(text)) throw fail('it is a web page');
  if (/^\s*[{[]\s*["{[]/.test(text)) throw fail('it is JSON');
  if (!hasRule(text)) throw fail('it has no rule in the syntax of Adblock Plus');
  return text;
}

/** A plain word is a valid rule for addresses, so any prose would pass. Only lines with the signs of a rule count. */
function hasRule(text: string): boolean {
  return text
    .split('\n')
    .map((line) => line.trim())
    .some((line) => /##|#@#|\|\||\$|^[/.*&?=_|@-]/.test(line) && !/\s/.test(line[0] ?? ' ') && isRule(line));
}

function isRule(line: string): boolean {
  const filter = parseFilter(line);
  if (filter === null) return false;
  return filter.isCosmeticFilter() || !/\s/.test(line);
}
