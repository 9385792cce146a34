/** The ads of one VAST document: VAST 1 to 4. */

import { XMLParser } from 'fast-xml-parser';
import { CreativeError, type Size } from './creative.ts';
import { decodeText } from './markup.ts';

/** An element: its children by name, its attributes as `@name`, its text as `#text`. */
export type XmlNode = Readonly<Record<string, unknown>>;

/** The length of one document. A megabyte takes a good part of a second to parse. */
const MAX_CHARACTERS = 1024 * 1024;

/** Elements that may repeat. The parser returns an array for them, even for a single one. */
const LISTS = new Set([
  ...['Ad', 'Creative', 'MediaFile', 'Mezzanine', 'Linear', 'InLine', 'Wrapper'],
  ...['Companion', 'NonLinear', 'AdBreak', 'StaticResource', 'IFrameResource', 'HTMLResource'],
]);

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  isArray: (name) => LISTS.has(name),
});

export interface MediaFile {
  readonly url: string;
  readonly type: string;
  /** The name of an interactive layer, for example VPAID; often ''. */
  readonly apiFramework: string;
  /** As declared; often the size of the file, not of the player. */
  readonly size: Size | undefined;
  /** Kilobits a second; 0 when not declared. */
  readonly bitrate: number;
}

/** A companion or non-linear ad: an image, a page or HTML beside or over a video. */
export interface DisplayAd {
  readonly role: 'companion' | 'non-linear ad';
  readonly size: Size | undefined;
  readonly resource: DisplayResource;
}

export type DisplayResource =
  | { readonly kind: 'image' | 'script' | 'page'; readonly url: string }
  | { readonly kind: 'html'; readonly html: string };

export interface InlineAd {
  readonly kind: 'inline';
  readonly files: readonly MediaFile[];
  /** The files that encoders start from (VAST 4.1), often very large. */
  readonly mezzanines: readonly MediaFile[];
  readonly displays: readonly DisplayAd[];
  /** An interactive layer over the video, for example SIMID. */
  readonly hasInteractiveFile: boolean;
}

/** A reference to another document. */
export interface WrapperAd {
  readonly kind: 'wrapper';
  readonly next: string;
}

export type VastAd = InlineAd | WrapperAd;

/** @returns the ads in the order in which a player shows them: a pod by its sequence, then ads without a sequence. */
export function readAds(vast: XmlNode): VastAd[] {
  return children(vast, 'Ad')
    .toSorted((a, b) => sequenceOf(a) - sequenceOf(b))
    .flatMap((ad) => [...children(ad, 'InLine').map(inlineAd), ...children(ad, 'Wrapper').flatMap(wrapperAd)]);
}

function sequenceOf(ad: XmlNode): number {
  const text = attributeOf(ad, 'sequence').trim();
  return /^\d+$/.test(text) ? Number(text) : Number.MAX_SAFE_INTEGER;
}

function wrapperAd(wrapper: XmlNode): WrapperAd[] {
  const next = textOf(child(wrapper, 'VASTAdTagURI')) || textOf(child(child(wrapper, 'VASTAdTagURL'), 'URL'));
  return next === '' ? [] : [{ kind: 'wrapper', next }];
}

function inlineAd(inline: XmlNode): InlineAd {
  const creatives = children(child(inline, 'Creatives'), 'Creative');
  // VAST 1 has `Video` in place of `Creatives` with `Linear`.
  const linear = [...creatives.flatMap((creative) => children(creative, 'Linear')), ...children(inline, 'Video')];
  const media = linear.flatMap((one) => children(one, 'MediaFiles'));
  return {
    kind: 'inline',
    files: media.flatMap((one) => children(one, 'MediaFile')).flatMap(mediaFile),
    mezzanines: media.flatMap((one) => children(one, 'Mezzanine')).flatMap(mediaFile),
    displays: [inline, ...creatives].flatMap(displayAds),
    hasInteractiveFile: media.some((one) => child(one, 'InteractiveCreativeFile') !== undefined),
  };
}

function mediaFile(file: XmlNode): MediaFile[] {
  const url = textOf(file) || textOf(child(file, 'URL'));
  if (url === '') return [];
  return [
    {
      url,
      type: (attributeOf(file, 'type').toLowerCase().split(';')[0] ?? '').trim(),
      apiFramework: attributeOf(file, 'apiFramework'),
      size: declaredSize(file),
      bitrate: Number(attributeOf(file, 'bitrate') || attributeOf(file, 'maxBitrate')) || 0,
    },
  ];
}

/** @returns the companions and the non-linear ads of a creative, or of a VAST 1 ad. */
function displayAds(creative: XmlNode): DisplayAd[] {
  const companions = children(child(creative, 'CompanionAds'), 'Companion').flatMap(displayAd('companion'));
  return [...companions, ...children(child(creative, 'NonLinearAds'), 'NonLinear').flatMap(displayAd('non-linear ad'))];
}

function displayAd(role: DisplayAd['role']): (node: XmlNode) => DisplayAd[] {
  return (node) => {
    const resource = resourceOf(node);
    return resource === undefined ? [] : [{ role, size: declaredSize(node), resource }];
  };
}

/** @returns the first resource that a browser can show. */
function resourceOf(node: XmlNode): DisplayResource | undefined {
  for (const item of children(node, 'StaticResource')) {
    const kind = kindOfStatic(attributeOf(item, 'creativeType'));
    if (kind !== undefined && textOf(item) !== '') return { kind, url: textOf(item) };
  }
  const html = children(node, 'HTMLResource').map(textOf).find(Boolean);
  if (html !== undefined) return { kind: 'html', html };
  const page = children(node, 'IFrameResource').map(textOf).find(Boolean);
  return page === undefined ? vast1Resource(node) : { kind: 'page', url: page };
}

function kindOfStatic(creativeType: string): 'image' | 'script' | undefined {
  if (/javascript|ecmascript/i.test(creativeType)) return 'script';
  return /flash|shockwave/i.test(creativeType) ? undefined : 'image';
}

function vast1Resource(node: XmlNode): DisplayResource | undefined {
  const code = textOf(child(node, 'Code'));
  if (code !== '') return { kind: 'html', html: code };
  const url = textOf(child(node, 'URL'));
  if (url === '') return undefined;
  const type = attributeOf(node, 'resourceType').toLowerCase();
  if (type === 'iframe') return { kind: 'page', url };
  const kind = kindOfStatic(`${type} ${attributeOf(node, 'creativeType')}`);
  return kind === undefined ? undefined : { kind, url };
}

/** @returns the document, with its root element as a child. @throws CreativeError for XML that is too large or damaged. */
export function parseVastXml(xml: string): XmlNode {
  if (xml.length > MAX_CHARACTERS) throw new CreativeError('The VAST is larger than 1 MB.');
  if (/<!DOCTYPE|<!ENTITY/i.test(xml))
    throw new CreativeError('The VAST declares XML entities, which are not accepted.');
  try {
    return asNode(parser.parse(xml)) ?? {};
  } catch (cause) {
    throw new CreativeError('The VAST is not well-formed XML.', { cause });
  }
}

/** @returns the text of an XML document in the encoding of its byte order mark or its declaration; UTF-8 without either. */
export function decodeXml(bytes: Buffer): string {
  const declared = /^\s*<\?xml[^>]{0,200}\bencoding\s*=\s*["']([\w-]{1,40})["']/.exec(
    bytes.subarray(0, 300).toString('latin1'),
  )?.[1];
  const isOther = declared !== undefined && /^(iso-8859-|windows-125|latin1|us-ascii)/i.test(declared);
  return isOther ? new TextDecoder(declared).decode(bytes) : decodeText(bytes);
}

export function child(node: XmlNode | undefined, name: string): XmlNode | undefined {
  const value = node?.[name];
  return asNode(Array.isArray(value) ? value[0] : value);
}

export function children(node: XmlNode | undefined, name: string): XmlNode[] {
  const value = node?.[name];
  return (Array.isArray(value) ? value : [value]).map(asNode).filter((item) => item !== undefined);
}

export function textOf(node: XmlNode | undefined): string {
  const value = node?.['#text'];
  return typeof value === 'string' ? value.trim() : '';
}

/** @returns '' if the element does not have the attribute. */
export function attributeOf(node: XmlNode, name: string): string {
  const value = node[`@${name}`];
  return typeof value === 'string' ? value : '';
}

/** @returns the size in the attributes of an element; undefined if it is missing, or as small as a tracking pixel. */
function declaredSize(node: XmlNode): Size | undefined {
  const [width, height] = [Number(attributeOf(node, 'width')), Number(attributeOf(node, 'height'))];
  return width > 1 && height > 1 ? { width, height } : undefined;
}

/** @throws CreativeError for text that is not a URL. */
export function absoluteUrl(url: string, base: string | undefined): string {
  try {
    return new URL(base === undefined && url.startsWith('//') ? `https:${url}` : url, base).href;
  } catch (cause) {
    throw new CreativeError(`The VAST contains an invalid URL: "${url.slice(0, 200)}".`, { cause });
  }
}

function asNode(value: unknown): XmlNode | undefined {
  if (typeof value === 'string') return { '#text': value };
  return typeof value === 'object' && value !== null ? (value as XmlNode) : undefined;
}
