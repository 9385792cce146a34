/** Draws the parts of a frame as SVG, in CSS pixels scaled to the device pixels of the picture. */

import { domainToUnicode } from 'node:url';
import { type FramedSize, type FrameShape, frameEdges, NARROW_WINDOW } from '../domain/frames.ts';
import { cutMiddle } from '../domain/middle.ts';
import { DRAWN_FONTS } from '../lib/drawnFonts.ts';

interface AddressText {
  readonly isSecure: boolean;
  readonly host: string;
  /** Path, query and fragment; '' for the root. */
  readonly rest: string;
}

/** Controls, and marks that change the direction of the text around them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

const NARROW = /[iljtfrI.,:;|!'()[\]/ -]/;
const WIDE = /[mwMW@%&—…]/;
const FULL =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}\uFF00-\uFF60]/u;

export interface FrameContent {
  readonly shape: FrameShape;
  /** The address of the page. */
  readonly address: string;
  /** Date and time, as shown. */
  readonly time: string;
  /** Names the kind of the picture, because a framed one may be passed on alone; empty for none. */
  readonly label: string;
  /** Device pixels for each CSS pixel. */
  readonly ratio: number;
  readonly size: FramedSize;
}

const INK = '#202124';
const PALE = '#5f6368';

/** @returns an SVG of the whole framed picture, with nothing where the picture is. */
export function frameSvg(content: FrameContent): string {
  const { size, ratio, shape } = content;
  const [width, height] = [size.width / ratio, size.height / ratio];
  const body = shape === 'window' ? windowParts(content, { width, height }) : deviceParts(content, { width, height });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}" viewBox="0 0 ${width} ${height}"><g font-family="${DRAWN_FONTS}">${body}</g></svg>`;
}

interface Area {
  readonly width: number;
  readonly height: number;
}

function windowParts({ address, time: captured, label: name }: FrameContent, { width, height }: Area): string {
  const time = name === '' ? captured : `${name} · ${captured}`;
  const isNarrow = width - 2 < NARROW_WINDOW;
  const dots = [18, 36, 54].map((x) => `<circle cx="${x}" cy="22" r="5.5" fill="#c4c7cc"/>`).join('');
  const timeWidth = isNarrow ? 0 : textWidth(time) * 13 + 16;
  const field = { x: 76, width: Math.max(60, width - 76 - 14 - timeWidth) };
  const footer = isNarrow
    ? `<rect x="0.5" y="${height - 29}" width="${width - 1}" height="28.5" fill="#eceef1"/>${label({ x: width / 2, y: height - 9.5, text: fit(time, width - 24, 13), anchor: 'middle' })}`
    : label({ x: width - 14, y: 27, text: time, anchor: 'end' });
  return `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" fill="#eceef1" stroke="#b9bdc4"/>${dots}
<rect x="${field.x}" y="8" width="${field.width}" height="28" rx="14" fill="#ffffff"/>
${addressParts(address, { x: field.x + 14, y: 27, width: field.width - 28, size: 14 })}${footer}`;
}

function deviceParts({ address, time, shape, label: name }: FrameContent, { width, height }: Area): string {
  const edges = frameEdges(shape, width);
  const [side, radius] = [edges.left, shape === 'phone' ? 46 : 40];
  const screen = { x: side, y: side, width: width - 2 * side, height: height - 2 * side };
  const bar = screen.y + 28;
  const field = { x: screen.x + 10, width: screen.width - 20 };
  return `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="${radius}" fill="#24262b" stroke="#0f1012"/>
<rect x="${screen.x}" y="${screen.y}" width="${screen.width}" height="${screen.height}" rx="${radius - side}" fill="#f4f5f7"/>
${label({ x: width / 2, y: screen.y + 20, text: fit(time, screen.width - 2 * radius + side, 13), anchor: 'middle', fill: INK })}
<rect x="${field.x}" y="${bar + 4}" width="${field.width}" height="32" rx="16" fill="#ffffff" stroke="#dcdfe4"/>
${addressParts(address, { x: field.x + 14, y: bar + 25, width: field.width - 28, size: 14 })}
${name === '' ? '' : label({ x: width / 2, y: height - side - 7, text: name, anchor: 'middle' })}`;
}

interface AddressPlace {
  readonly x: number;
  /** The base line of the text. */
  readonly y: number;
  readonly width: number;
  readonly size: number;
}

/** A lock for https, then the address with its host in the stronger color. It is always written from left to right. */
function addressParts(address: string, { x, y, width, size }: AddressPlace): string {
  const { isSecure, host, rest } = fitAddress(address, (width - 20) / size);
  const lock = isSecure
    ? `<g fill="none" stroke="${PALE}" stroke-width="1.6"><path d="M${x + 2.5} ${y - 6}v-2.5a3 3 0 0 1 6 0v2.5"/></g><rect x="${x}" y="${y - 6.5}" width="11" height="8" rx="1.5" fill="${PALE}"/>`
    : '';
  const left = isSecure ? x + 18 : x;
  // Isolated, so that words that are written from right to left keep their place in the address.
  const text = `<tspan fill="${INK}">${escapeXml(isolated(host))}</tspan><tspan fill="${PALE}">${escapeXml(isolated(rest))}</tspan>`;
  return `${lock}<text x="${left}" y="${y}" font-size="${size}" direction="ltr" xml:space="preserve">\u200e${text}</text>`;
}

const isolated = (text: string) => text.replace(/[^./?#&=]+/g, (part) => `\u2068${part}\u2069`);

/** @param em the width in units of the font size. */
function fitAddress(address: string, em: number): AddressText {
  let max = Math.max(8, Math.floor(em / 0.4));
  for (;;) {
    const text = addressText(address, max);
    if (max <= 8 || textWidth(text.host + text.rest) <= em) return text;
    max -= 1;
  }
}

function fit(text: string, width: number, size: number): string {
  let max = text.length;
  while (max > 4 && textWidth(cutMiddle(text, max)) * size > width) max -= 1;
  return cutMiddle(text, max);
}

interface Label {
  readonly x: number;
  readonly y: number;
  readonly text: string;
  readonly anchor: 'middle' | 'end';
  readonly fill?: string;
}

function label({ x, y, text, anchor, fill = PALE }: Label): string {
  return `<text x="${x}" y="${y}" font-size="13" text-anchor="${anchor}" fill="${fill}">${escapeXml(text)}</text>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** Also leaves out characters that XML cannot hold. */
export function escapeXml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML allows no other control characters.
      .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '')
      .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
  );
}

/** Estimates the width of text, in units of the font size, for a sans serif. The estimate is too wide for most texts, so that text stays inside its frame. */
export function textWidth(text: string): number {
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

function charWidth(char: string): number {
  if (/[\p{M}\p{Cf}]/u.test(char)) return 0;
  if (FULL.test(char)) return 1.05;
  if (NARROW.test(char)) return 0.36;
  if (WIDE.test(char)) return 0.96;
  return /[A-Z\p{Lu}]/u.test(char) ? 0.72 : 0.58;
}

/** @param max the most characters of host and rest together. The middle of a longer address is left out. */
export function addressText(address: string, max: number): AddressText {
  const url = URL.parse(address) ?? URL.parse(`https://${address}`);
  if (url === null) return { isSecure: false, host: cutMiddle(clean(address), max), rest: '' };
  const host = clean(hostOf(url));
  const rest = clean(decode(`${url.pathname}${url.search}${url.hash}`)).replace(/^\/$/, '');
  const shownHost = cutMiddle(host, max);
  const left = max - shownHost.length;
  return { isSecure: url.protocol === 'https:', host: shownHost, rest: left < 4 ? '' : cutMiddle(rest, left) };
}

function hostOf(url: URL): string {
  const name = domainToUnicode(url.hostname) || url.hostname;
  return url.port === '' ? name : `${name}:${url.port}`;
}

/** Percent-encoding that is not UTF-8 stays as it is. */
function decode(text: string): string {
  try {
    return decodeURI(text);
  } catch {
    return text;
  }
}

const clean = (text: string) => text.replace(INVISIBLE, '').toWellFormed();
