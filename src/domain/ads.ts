import { cutCodePoints } from './text.ts';

export const AD_NAME_MAX = 255;
export const LOOKUP_KEY_MAX = 255;
/** Maximum size of an HTML tag, in bytes of UTF-8. */
export const HTML_TAG_MAX_BYTES = 1_048_576;

/** The longest side of a creative, CSS pixels. */
export const AD_SIDE_MAX = 4_096;

/** CSS pixels. */
export interface AdSize {
  readonly width: number;
  readonly height: number;
}

export const MEDIA_TYPES = ['url', 'html_tag', 'upload'] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

export interface Media {
  readonly type: MediaType;
  /** A URL, HTML, or the id of an upload. */
  readonly content: string;
}

/** The format of a creative, detected from its bytes. */
export const CREATIVE_FORMATS = ['image', 'video', 'vast', 'html5_zip', 'html', 'tag'] as const;
export type CreativeFormat = (typeof CREATIVE_FORMATS)[number];

/** A video goes into the video player of a page, a display ad into a slot. */
export const AD_CATEGORIES = ['display', 'video'] as const;
export type AdCategory = (typeof AD_CATEGORIES)[number];

/** The largest file of a creative, fetched or uploaded. */
export const CREATIVE_MAX_BYTES = 64 * 1024 * 1024;

/**
 * @param fileName the name of the uploaded file.
 * @returns the name for an ad without one: the file name, else the host in its URL, else `Ad <short id>`.
 */
export function defaultAdName(media: Media, id: string, fileName?: string): string {
  const name = media.type === 'url' ? nameOfUrl(media.content) : (fileName ?? '');
  return name || `Ad ${id.slice(0, 8)}`;
}

function nameOfUrl(address: string): string {
  const url = URL.parse(address);
  if (url === null) return '';
  const file = readable(url.pathname.split('/').at(-1) ?? '');
  return cutCodePoints(file || url.hostname, AD_NAME_MAX).trim();
}

/** @returns the segment without percent-encoding if the result is printable text. */
function readable(segment: string): string {
  try {
    const decoded = decodeURIComponent(segment).trim();
    return /\p{Cc}/u.test(decoded) ? segment : decoded;
  } catch {
    return segment; // The decoded bytes are not UTF-8.
  }
}
