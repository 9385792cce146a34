import { posix } from 'node:path';
import type { Readable } from 'node:stream';
import { type Entry, fromBuffer, getFileNameLowLevel, validateFileName, type ZipFile } from 'yauzl';
import { errorMessage } from '../../lib/errorMessage.ts';
import { CreativeError, type ZipSite } from './creative.ts';
import { findPage, type PageChoice } from './zipPages.ts';

const MAX_ENTRIES = 1_000;
const MAX_TOTAL_BYTES = 96 * 1024 * 1024;
/** The highest compression ratio of an entry that is larger than {@link FREE_BYTES}. */
const MAX_RATIO = 200;
const FREE_BYTES = 4 * 1024 * 1024;

/**
 * Unpacks a zip in memory and finds its page.
 * @throws CreativeError for a zip that is damaged, is a bomb, has paths outside of its folder, or has no page that can be chosen.
 */
export async function unpack(bytes: Buffer, choice: PageChoice = {}): Promise<ZipSite> {
  try {
    const { files, aliases } = await readEntries(await opened(withoutTrailingBytes(bytes)));
    return { files, aliases, index: findPage(files, choice) };
  } catch (cause) {
    if (cause instanceof CreativeError) throw cause;
    const reason = errorMessage(cause);
    if (/^(invalid relative|absolute) path|^invalid characters/.test(reason))
      throw invalidZip(`The zip is not safe: it has a file outside of its own folder (${reason}).`, { cause });
    if (/^unsupported compression method/.test(reason))
      throw invalidZip(`The zip has an ${reason}. Send a zip with the usual compression (Deflate).`, { cause });
    throw invalidZip(`The zip is damaged and cannot be unpacked (${reason}).`, { cause });
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

function opened(bytes: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true, decodeStrings: false, validateEntrySizes: true }, (error, zip) =>
      error ? reject(error) : resolve(zip),
    );
  });
}

async function readEntries(zip: ZipFile): Promise<Pick<ZipSite, 'files' | 'aliases'>> {
  if (zip.entryCount > MAX_ENTRIES)
    throw invalidZip(`The zip holds ${zip.entryCount} files; at most ${MAX_ENTRIES} are allowed.`);
  const files = new Map<string, Buffer>();
  const aliases = new Map<string, string>();
  let total = 0;
  for (let entry = await nextEntry(zip); entry; entry = await nextEntry(zip)) {
    const { path, aliases: others } = entryName(entry);
    const name = fileName(path);
    if (name === undefined) continue;
    checkSize(entry, { name, total });
    const content = await contentOf(zip, entry);
    total += content.length;
    files.set(name, content);
    for (const other of others) aliases.set(posix.normalize(other), name);
  }
  return { files, aliases };
}

function nextEntry(zip: ZipFile): Promise<Entry | undefined> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      zip.removeAllListeners();
      then();
    };
    zip.once('entry', (entry: Entry) => settle(() => resolve(entry)));
    zip.once('end', () => settle(() => resolve(undefined)));
    zip.once('error', (error: Error) => settle(() => reject(error)));
    zip.readEntry();
  });
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
  if (entry.isEncrypted()) throw invalidZip('The zip is protected by a password. Send it without one.');
  const { uncompressedSize: size, compressedSize: packed } = entry;
  if (total + size > MAX_TOTAL_BYTES)
    throw invalidZip(`The zip unpacks to more than ${MAX_TOTAL_BYTES / 1024 / 1024} MB, which is too large for an ad.`);
  if (size > FREE_BYTES && size > packed * MAX_RATIO)
    throw invalidZip(`The zip is a bomb: "${name}" expands to ${Math.round(size / packed)} times its size.`);
}

/** The declared sizes have been checked. yauzl ends a stream that is longer. */
function contentOf(zip: ZipFile, entry: Entry): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error: Error | null, stream: Readable) => {
      if (error) return reject(error);
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.once('end', () => resolve(Buffer.concat(chunks)));
      stream.once('error', reject);
    });
  });
}

function invalidZip(reason: string, options?: ErrorOptions): CreativeError {
  return new CreativeError('generic_error', reason, options);
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
