import { fileTypeFromBuffer } from 'file-type';
import { CreativeError } from './creativeError.ts';

/** What bytes hold, told by the bytes; the content type they came with decides only what bytes cannot. */
export type DetectedContent =
  | { readonly kind: 'raster'; readonly type: string }
  | { readonly kind: 'svg' }
  | { readonly kind: 'video'; readonly type: string }
  | { readonly kind: 'vast' }
  | { readonly kind: 'zip' }
  | { readonly kind: 'html' }
  | { readonly kind: 'script' };

const RASTERS: readonly string[] = ['image/png', 'image/apng', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];
const VIDEOS: readonly string[] = ['video/mp4', 'video/webm', 'video/quicktime', 'video/x-m4v', 'video/matroska'];
const HEAD_CHARACTERS = 4_096;

/**
 * @param contentType as the server sent it, when there was a server.
 * @throws CreativeFailure for what is no creative, in words.
 */
export async function detectContent(bytes: Buffer, contentType = ''): Promise<DetectedContent> {
  if (bytes.length === 0) throw new CreativeError('generic_error', 'The creative is empty: no bytes came.');
  const text = textKind(bytes, contentType.toLowerCase());
  if (text !== undefined) return text;
  const binary = await fileTypeFromBuffer(bytes);
  const type: string = binary?.mime ?? '';
  if (RASTERS.includes(type)) return { kind: 'raster', type };
  if (VIDEOS.includes(type))
    return { kind: 'video', type: type === 'video/webm' || type === 'video/matroska' ? 'video/webm' : 'video/mp4' };
  if (bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04' || type === 'application/zip') return { kind: 'zip' };
  const found = type || contentType || 'unknown data';
  throw new CreativeError(
    'generic_error',
    `The creative is ${found}, which is not an image, video, VAST, HTML or zip.`,
  );
}

function textKind(bytes: Buffer, contentType: string): DetectedContent | undefined {
  const head = textHead(bytes);
  if (head === undefined) return undefined;
  const start = withoutPreamble(head);
  if (/^<(\w+:)?(VAST|VideoAdServingTemplate)\b/i.test(start)) return { kind: 'vast' };
  if (/^<(\w+:)?svg\b/i.test(start)) return { kind: 'svg' };
  // XML of another kind is no page, though its elements look like one's.
  if (/^\s*<\?xml/.test(head) && !/^<(!doctype\s+html|html)\b/i.test(start)) return undefined;
  if (/^<(!doctype\s+html|[a-z!])/i.test(start)) return { kind: 'html' };
  if (
    /javascript|ecmascript/.test(contentType) ||
    /^(\(?\s*function\b|!function|["']use strict|document\.write|(var|let|const)\s|\/[/*])/.test(start)
  )
    return { kind: 'script' };
  return /text\/html|xhtml/.test(contentType) ? { kind: 'html' } : undefined;
}

/** @returns the beginning as text, or undefined when it is not text. */
function textHead(bytes: Buffer): string | undefined {
  const head = bytes.subarray(0, HEAD_CHARACTERS);
  const utf16 = head[0] === 0xff && head[1] === 0xfe;
  const text = head.toString(utf16 ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '');
  return text.includes('\0') ? undefined : text;
}

/** Without white space, the XML declaration, comments, and the document types of XML and SVG. */
function withoutPreamble(text: string): string {
  const preamble = /^\s*(<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!doctype\s+(?!html)[^>[]*(\[[\s\S]*?\]\s*)?>)/i;
  let rest = text;
  for (let match = preamble.exec(rest); match; match = preamble.exec(rest)) rest = rest.slice(match[0].length);
  return rest.trimStart();
}
