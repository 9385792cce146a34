/** The words for sites, devices and moments in exports. */
import { domainToUnicode } from 'node:url';
import type { ExportPicture } from '../../core/exports/exportContent.ts';
import { findDevice, ownDeviceOf } from '../../domain/devices.ts';
import { cutMiddle } from '../../domain/middle.ts';
import { textsOf } from '../../domain/texts/languages.ts';
import type { DocumentContent } from './elements.ts';

/** @returns the host of the address without `www.`; the address itself if it has no host. */
export function siteName(address: string): string {
  const url = parse(address);
  if (url === null) return address;
  const name = (domainToUnicode(url.hostname) || url.hostname).replace(/^www\./, '');
  return url.port === '' ? name : `${name}:${url.port}`;
}

/** @returns host and path, as a heading: `news.example/politics`. */
export function siteTitle(address: string): string {
  const url = parse(address);
  if (url === null) return address;
  const path = url.pathname.replace(/\/+$/, '');
  return `${siteName(address)}${decoded(path)}`;
}

const parse = (address: string) => URL.parse(address) ?? URL.parse(`https://${address}`);

function decoded(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}

/** @returns the address of the page that was captured. */
export function pageAddress({ final_url, site_url }: Pick<ExportPicture, 'final_url' | 'site_url'>): string {
  return final_url ?? parse(site_url)?.href ?? site_url;
}

/** @returns the address with the letters of its host and path, as a browser shows it. */
export function readableAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  const host = domainToUnicode(url.hostname) || url.hostname;
  const port = url.port === '' ? '' : `:${url.port}`;
  return `${url.protocol}//${host}${port}${decoded(`${url.pathname}${url.search}${url.hash}`)}`;
}

/** @returns the address if a document may link to it. */
export function linkOf(address: string): string | undefined {
  const url = URL.parse(address);
  return url !== null && /^https?:$/.test(url.protocol) && url.href.length <= 2_000 ? url.href : undefined;
}

export const deviceIn = ({ options }: Written, name: string) => textsOf(options.language ?? 'en').device(name);

/** For example `iPhone (390 × 844)`. */
export function deviceLabel(content: Written, name: string): string {
  const { viewport } = findDevice(name) ?? {};
  const label = deviceIn(content, name);
  return viewport === undefined || ownDeviceOf(name) !== undefined
    ? label
    : `${label} (${viewport.width} × ${viewport.height})`;
}

/** @returns the moment of the ad; undefined for its default frame. */
export function momentLabel({ options: { language = 'en' } }: Written, markerMs: number | null): string | undefined {
  const format = { maximumFractionDigits: 3, useGrouping: false } as const;
  return markerMs === null ? undefined : `${(markerMs / 1000).toLocaleString(language, format)} s`;
}

export function sizeLabel({ ad_width: width, ad_height: height }: Pick<ExportPicture, 'ad_width' | 'ad_height'>) {
  return width === null || height === null ? undefined : `${width} × ${height}`;
}

type Written = Pick<DocumentContent, 'options'>;

/** @returns the texts in the language of the document. */
export const textsIn = ({ options }: Written) => textsOf(options.language ?? 'en').document;

/** @returns a sentence for readers who cannot see the picture. */
export function describePicture(content: Written, picture: ExportPicture): string {
  const [ad, moment] = [cutMiddle(picture.ad_name, 100), momentLabel(content, picture.marker_ms)];
  return textsIn(content).describe(ad, moment, siteName(picture.site_url), deviceIn(content, picture.device));
}

/** @returns one line without controls and without half surrogate pairs, which XML and PDF cannot hold. */
export function cleanText(text: string): string {
  return (
    text
      .toWellFormed()
      .replace(/\s+/gu, ' ')
      // Controls, and marks that would turn the text around them. Joiners stay, because emoji and scripts need them.
      .replace(/[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF\uFFFE\uFFFF]/gu, '')
      .trim()
  );
}

/** Whether the first letter with a direction is written from right to left, which decides the direction of a paragraph. */
export function isRightToLeft(text: string): boolean {
  const [letter = ''] = /\p{L}/u.exec(text) ?? [];
  return /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u.test(
    letter,
  );
}
