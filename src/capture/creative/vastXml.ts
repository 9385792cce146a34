/** Reads the XML of VAST and VMAP documents. */
import { XMLParser } from 'fast-xml-parser';
import { CreativeError } from './creativeError.ts';
import type { Size } from './size.ts';

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

/** @returns the document, with its root element as a child. @throws CreativeError for XML that is too large or damaged. */
export function parseVastXml(xml: string): XmlNode {
  if (xml.length > MAX_CHARACTERS) throw vastFault('The VAST is larger than 1 MB.');
  if (/<!DOCTYPE|<!ENTITY/i.test(xml)) throw vastFault('The VAST declares XML entities, which are not accepted.');
  try {
    return asNode(parser.parse(xml)) ?? {};
  } catch (cause) {
    throw vastFault('The VAST is not well-formed XML.', { cause });
  }
}

/** @returns the text of an XML document in the encoding of its byte order mark or its declaration; UTF-8 without either. */
export function decodeXml(bytes: Buffer): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const declared = /^\s*<\?xml[^>]{0,200}\bencoding\s*=\s*["']([\w-]{1,40})["']/.exec(
    bytes.subarray(0, 300).toString('latin1'),
  )?.[1];
  return declared !== undefined && /^(iso-8859-|windows-125|latin1|us-ascii)/i.test(declared) ? declared : 'utf-8';
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
export function declaredSize(node: XmlNode): Size | undefined {
  const [width, height] = [Number(attributeOf(node, 'width')), Number(attributeOf(node, 'height'))];
  return width > 1 && height > 1 ? { width, height } : undefined;
}

/** @throws CreativeError for text that is not a URL. */
export function absoluteUrl(url: string, base: string | undefined): string {
  try {
    return new URL(base === undefined && url.startsWith('//') ? `https:${url}` : url, base).href;
  } catch (cause) {
    throw vastFault(`The VAST contains an invalid URL: "${url.slice(0, 200)}".`, { cause });
  }
}

export function vastFault(reason: string, options?: ErrorOptions): CreativeError {
  return new CreativeError('generic_error', reason, options);
}

function asNode(value: unknown): XmlNode | undefined {
  if (typeof value === 'string') return { '#text': value };
  return typeof value === 'object' && value !== null ? (value as XmlNode) : undefined;
}
