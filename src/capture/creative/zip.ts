import { posix } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type Entry, fromBufferPromise, getFileNameLowLevel, validateFileName, type ZipFile } from 'yauzl';
import { errorMessage } from '../../lib/errorMessage.ts';
import { CreativeError, type ZipSite } from './creative.ts';
import { findPage, type PageChoice } from './zipPages.ts';

const MAX_ENTRIES = 1_000;
const MAX_TOTAL_BYTES = 96 * 1024 * 1024;
/** The highest compression ratio of an entry that is larger than {@link FREE_BYTES}. */
const MAX_RATIO = 200;
const FREE_BYTES = 4 * 1024 * 1024;
const OPTIONS = { lazyEntries: true, decodeStrings: false, validateEntrySizes: true };

/**
 * Unpacks a zip in memory and finds its page.
 * @throws CreativeError for a zip that is damaged, is a bomb, has paths outside of its folder, or has no page that can be chosen.
 */
export async function unpack(bytes: Buffer, choice: PageChoice = {}): Promise<ZipSite> {
  try {
    const { files, aliases } = await readEntries(await fromBufferPromise(withoutTrailingBytes(bytes), OPTIONS));
    return { files, aliases, index: findPage(files, choice) };
  } catch (cause) {
    if (cause instanceof CreativeError) throw cause;
    const reason = errorMessage(cause);
    if (/^(invalid relative|absolute) path|^invalid characters/.test(reason))
      throw new CreativeError(`The zip is not safe: it has a file outside of its own folder (${reason}).`, { cause });
    if (/^unsupported compression method/.test(reason))
      throw new CreativeError(`The zip has an ${reason}. Send a zip with the usual compression (Deflate).`, { cause });
    throw new CreativeError(`The zip is damaged and cannot be unpacked (${reason}).`, { cause });
  }
}

const DIRECTORY_END = Buffer.from('PK\x05\x06', 'latin1');
const DIRECTORY_END_BYTES = 22;

/** Some transfers add bytes after the end of the zip, which every other program ignores. */
function withoutTrailingBytes(bytes: Buffer): Buffer {
  const start = bytes.lastIndexOf(DIRECTORY_END);
  if (start < 0 || start + DIRECTORY_END_BYTES > bytes.length) return bytes;
  return bytes.subarray(0, start + DIRECTORY_END_BYTES + bytes.readUInt16LE(start + DIRECTORY_END_BYTES - 2));
}

async function readEntries(zip: ZipFile): Promise<Pick<ZipSite, 'files' | 'aliases'>> {
  if (zip.entryCount > MAX_ENTRIES)
    throw new CreativeError(`The zip holds ${zip.entryCount} files; at most ${MAX_ENTRIES} are allowed.`);
  const files = new Map<string, Buffer>();
  const aliases = new Map<string, string>();
  let total = 0;
  for await (const entry of zip.eachEntry()) {
    const { path, aliases: others } = entryName(entry);
    const name = fileName(path);
    if (name === undefined) continue;
    checkSize(entry, { name, total });
    // yauzl ends a stream that is longer than the declared size.
    const content = await buffer(await zip.openReadStreamPromise(entry));
    total += content.length;
    files.set(name, content);
    for (const other of others) aliases.set(posix.normalize(other), name);
  }
  return { files, aliases };
}

/** @returns undefined for folders and files of operating systems. @throws Error for a path outside of the zip's folder. */
function fileName(name: string): string | undefined {
  const fault = validateFileName(name);
  if (fault !== null) throw new Error(fault);
  const path = posix.normalize(name);
  const alien = path.endsWith('/') || /(^|\/)(__MACOSX\/|\._[^/]*$|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/.test(path);
  return alien ? undefined : path;
}

function checkSize(entry: Entry, { name, total }: { name: string; total: number }): void {
  if (entry.isEncrypted()) throw new CreativeError('The zip is protected by a password. Send it without one.');
  const { uncompressedSize: size, compressedSize: packed } = entry;
  if (total + size > MAX_TOTAL_BYTES)
    throw new CreativeError(
      `The zip unpacks to more than ${MAX_TOTAL_BYTES / 1024 / 1024} MB, which is too large for an ad.`,
    );
  if (size > FREE_BYTES && size > packed * MAX_RATIO)
    throw new CreativeError(`The zip is a zip bomb: "${name}" expands to ${Math.round(size / packed)} times its size.`);
}

/** The path of an entry, and other paths by which the page may ask for it. */
interface EntryName {
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
function entryName(entry: Entry): EntryName {
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
