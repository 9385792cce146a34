import type { ExportPicture } from '../../core/exports/exportContent.ts';
import { safeWord } from '../../domain/exports.ts';
import { siteName } from '../document/labels.ts';

const MAX_WORD = 48;

/**
 * @returns file names without extension that sort in the order of the pictures: `0012-news.example-iphone-Spring-2.5s`.
 *   @param digits of the number.
 */
export function pictureName(picture: ExportPicture, { at, digits }: { at: number; digits: number }): string {
  const { marker_ms: marker, device, ad_name, site_url } = picture;
  const words = [siteName(site_url), device, ad_name]
    .map((text) => safeWord(text, MAX_WORD))
    .filter((word) => word !== '');
  const moment = marker === null ? [] : [`${marker / 1000}s`];
  return [String(at + 1).padStart(digits, '0'), ...words, ...moment].join('-');
}
