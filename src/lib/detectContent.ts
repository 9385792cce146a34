import { fileTypeFromBuffer } from 'file-type';

/** Archives other than zip, by media type. */
const ARCHIVES: Readonly<Record<string, string>> = {
  'application/x-rar-compressed': 'a RAR archive',
  'application/x-7z-compressed': 'a 7-Zip archive',
  'application/gzip': 'a gzip archive',
  'application/x-tar': 'a tar archive',
  'application/x-xz': 'an xz archive',
  'application/x-bzip2': 'a bzip2 archive',
};
const DESIGN = /photoshop|illustrator|postscript|x-cfb|x-indesign|sketch/;
const EXPORT = 'Send an HTML5 zip, an image or a video that it exports.';

/** The kind of a creative, detected from its bytes. The content type decides only if the bytes do not. */
export type DetectedContent =
  | { readonly kind: 'raster'; readonly type: string }
  | { readonly kind: 'svg' }
  | { readonly kind: 'video'; readonly type: string }
  | { readonly kind: 'vast' }
  | { readonly kind: 'zip' }
  | { readonly kind: 'html' }
  | { readonly kind: 'script' };

/** The bytes are not a creative. The client reads `message`. */
export class NotACreativeError extends Error {}

const RASTERS: readonly string[] = ['image/png', 'image/apng', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];
const VIDEOS: readonly string[] = ['video/mp4', 'video/webm', 'video/quicktime', 'video/x-m4v', 'video/matroska'];
const HEAD_CHARACTERS = 4_096;

/**
 * @param bytes the whole content, or the first part of it.
 * @param contentType the header of the response; empty if the bytes did not come from a server.
 * @throws NotACreativeError
 */
export async function detectContent(bytes: Buffer, contentType = ''): Promise<DetectedContent> {
  if (bytes.length === 0) throw new NotACreativeError('The creative is empty: it has no bytes.');
  const text = textKind(bytes, contentType.toLowerCase());
  if (text !== undefined) return text;
  const binary = await fileTypeFromBuffer(bytes);
  const type: string = binary?.mime ?? '';
  if (RASTERS.includes(type)) return { kind: 'raster', type };
  if (VIDEOS.includes(type))
    return { kind: 'video', type: type === 'video/webm' || type === 'video/matroska' ? 'video/webm' : 'video/mp4' };
  if (bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04' || type === 'application/zip') return { kind: 'zip' };
  throw new NotACreativeError(refusalOf(bytes, { type, declared: mediaType(contentType) }));
}

function textKind(bytes: Buffer, contentType: string): DetectedContent | undefined {
  const head = textHead(bytes);
  if (head === undefined) return undefined;
  const start = withoutPreamble(head);
  if (/^<(\w+:)?(VAST|VMAP|VideoAdServingTemplate)\b/i.test(start)) return { kind: 'vast' };
  if (/^<(\w+:)?svg\b/i.test(start)) return { kind: 'svg' };
  // Other XML is not a page, although its elements look like HTML.
  if (/^\s*<\?xml/.test(head) && !/^<(!doctype\s+html|html)\b/i.test(start)) return undefined;
  if (/^<(!doctype\s+html|[a-z!])/i.test(start)) return { kind: 'html' };
  if (
    /javascript|ecmascript/.test(contentType) ||
    /^(\(?\s*function\b|!function|["']use strict|document\.write|(var|let|const)\s|\/[/*])/.test(start)
  )
    return { kind: 'script' };
  return /text\/html|xhtml/.test(contentType) ? { kind: 'html' } : undefined;
}

/** @returns the first characters, or undefined if the bytes are not text. */
function textHead(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, HEAD_CHARACTERS);
  const utf16 = head[0] === 0xff && head[1] === 0xfe;
  const text = head.toString(utf16 ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '');
  return text.includes('\0') ? undefined : text;
}

const SUPPORTED = 'Send an image (PNG, JPEG, GIF, WebP, AVIF, SVG), a video (MP4, WebM), VAST, HTML or a zip.';

/** @returns a name for content of another type. */
function unsupported(known: string, declared: string): string {
  const format = known
    .slice(known.indexOf('/') + 1)
    .replace(/^(?:x-|vnd\.)/, '')
    .toUpperCase();
  if (known.startsWith('image/')) return `an image in the format ${format}, which is not supported`;
  if (known.startsWith('video/')) return `a video in the format ${format}, which no browser plays`;
  if (known !== '') return `a file of the type ${known}, which is not supported`;
  return declared === ''
    ? 'data in an unknown format'
    : `data in an unknown format, although the server declares the content type ${declared}`;
}

/** @returns the text without leading white space, XML declaration, comments and document types of XML and SVG. */
function withoutPreamble(text: string): string {
  const preamble = /^\s*(<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!doctype\s+(?!html)[^>[]*(\[[\s\S]*?\]\s*)?>)/i;
  let rest = text;
  for (let match = preamble.exec(rest); match; match = preamble.exec(rest)) rest = rest.slice(match[0].length);
  return rest.trimStart();
}

/** @returns the media type of a header without its parameters. */
function mediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase();
}

/** @returns a message for the client. `type` is that of the bytes, '' if it is unknown; `declared` is that of the response. */
function refusalOf(bytes: Buffer, { type: known, declared }: { type: string; declared: string }): string {
  const type = known || declared;
  const start = bytes.subarray(0, 4_096).toString('latin1');
  if (/^(FWS|CWS|ZWS)/.test(start))
    return 'The creative is a Flash file, which no browser plays. Send an HTML5 zip, an image or a video.';
  if (/^#EXTM3U/.test(start) || /<MPD\b/.test(start))
    return 'The creative is the playlist of a video stream. Send the video as an MP4 file.';
  if (type.startsWith('audio/'))
    return `The creative is audio (${type}), so it has nothing to show. Send an image or a video.`;
  const archive = ARCHIVES[type];
  if (archive !== undefined) return `The creative is ${archive}. Send its files as a zip.`;
  if (DESIGN.test(type)) return `The creative is the file of a design program (${type}). ${EXPORT}`;
  if (type === 'application/pdf') return 'The creative is a PDF. Send its page as an image, or an HTML5 zip.';
  const root = /^(?:\xEF\xBB\xBF)?\s*<\?xml[^>]{0,200}\?>(?:\s|<!--[^>]{0,1000}-->)*<([\w:.-]{1,100})/.exec(start)?.[1];
  if (root !== undefined)
    return `The creative is XML with the root element <${root}>, which is not an image, video, VAST or VMAP. Send a VAST document, or the video file itself.`;
  return `The creative is ${unsupported(known, declared)}. ${SUPPORTED}`;
}
