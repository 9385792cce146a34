import { cutCodePoints } from './text.ts';

export const AD_NAME_MAX = 255;
export const LOOKUP_KEY_MAX = 255;
/** Bytes of UTF-8 an HTML tag may have. */
export const HTML_TAG_MAX_BYTES = 1_048_576;

export interface Media {
  readonly type: 'url' | 'html_tag';
  readonly content: string;
}

/** The name of an ad that was given none: the file name of its address, else the host, else `Ad <short id>`. */
export function defaultAdName(media: Media, id: string): string {
  const name = media.type === 'url' ? nameOfUrl(media.content) : '';
  return name || `Ad ${id.slice(0, 8)}`;
}

function nameOfUrl(address: string): string {
  const url = URL.parse(address);
  if (url === null) return '';
  const file = readable(url.pathname.split('/').at(-1) ?? '');
  return cutCodePoints(file || url.hostname, AD_NAME_MAX).trim();
}

/** Without percent-encoding where that yields printable text. */
function readable(segment: string): string {
  try {
    const decoded = decodeURIComponent(segment).trim();
    return /\p{Cc}/u.test(decoded) ? segment : decoded;
  } catch {
    return segment; // Not UTF-8 once decoded: it stays as it was sent.
  }
}
