import type { Entry } from 'yauzl';
import { getFileNameLowLevel } from 'yauzl';

/** The path of an entry, and other paths by which the page may ask for it. */
export interface EntryName {
  readonly path: string;
  readonly aliases: readonly string[];
}

const UTF8_FLAG = 0x800;
const UNICODE_PATH_FIELD = 0x7075;
/** In "version made by": the file system of DOS and Windows. */
const FAT_HOST = 0;

/** Windows programs of other regions write names in these encodings. */
const OTHER_ENCODINGS = ['windows-1252', 'ibm866', 'shift_jis', 'gbk', 'big5', 'euc-kr'] as const;

/** The second half of code page 850, which Windows uses in western Europe. */
const CP850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0';

/**
 * Reads the name of an entry. Many programs write names without declaring their encoding: UTF-8 on a Mac, a code page on
 * Windows, Latin-1 on older Linux. A name that is valid UTF-8 is UTF-8. For others every likely reading becomes an alias,
 * because the page asks only for the right one.
 */
export function entryName(entry: Entry): EntryName {
  const raw = entry.fileNameRaw;
  const declared = getFileNameLowLevel(entry.generalPurposeBitFlag, raw, entry.extraFields, true);
  const isDeclared =
    (entry.generalPurposeBitFlag & UTF8_FLAG) !== 0 || entry.extraFields.some(({ id }) => id === UNICODE_PATH_FIELD);
  if (isDeclared || raw.every((byte) => byte < 0x80)) return { path: normalized(declared), aliases: [] };
  const utf8 = decoded(raw, 'utf-8');
  if (utf8 !== undefined) return { path: normalized(utf8), aliases: [] };
  const cp437 = declared;
  const others = OTHER_ENCODINGS.map((encoding) => decoded(raw, encoding)).filter((name) => name !== undefined);
  const [latin1 = cp437] = others;
  const isFat = entry.versionMadeBy >> 8 === FAT_HOST;
  const names = isFat ? [cp437, fromCp850(raw), ...others] : [latin1, cp437, fromCp850(raw), ...others];
  const [path = cp437, ...aliases] = new Set(names.map(normalized));
  return { path, aliases };
}

function decoded(raw: Buffer, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(raw);
  } catch {
    return undefined; // These bytes are not text in this encoding.
  }
}

function fromCp850(raw: Buffer): string {
  return Array.from(raw, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : (CP850[byte - 0x80] ?? '?'))).join('');
}

/** Old programs write back slashes. A Mac writes accents as characters of their own. */
function normalized(name: string): string {
  return name.replaceAll('\\', '/').normalize('NFC');
}
