import { XMLParser } from 'fast-xml-parser';
import { CreativeError } from './creativeError.ts';
import type { Size } from './size.ts';

export interface MediaFile {
  readonly url: string;
  readonly type: string;
  /** As declared; often the size of the file, not of the player. */
  readonly size: Size | undefined;
  /** Kilobits a second; 0 when not declared. */
  readonly bitrate: number;
}

/** The content of a VAST document: the files of its first linear ad, or the URL of the next document. */
export type Vast =
  | { readonly kind: 'inline'; readonly files: readonly MediaFile[] }
  | { readonly kind: 'wrapper'; readonly next: string };

const MAX_DOCUMENTS = 6;
/** The length of one document. A megabyte takes a good part of a second to parse. */
const MAX_CHARACTERS = 1024 * 1024;
const PLAYABLE = ['video/mp4', 'video/webm', 'video/x-m4v', 'video/ogg', 'video/quicktime'];

/** Elements that may repeat. The parser returns an array for them, even for a single one. */
const LISTS = new Set(['Ad', 'Creative', 'MediaFile', 'Linear', 'InLine', 'Wrapper']);

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  isArray: (name) => LISTS.has(name),
});

/** Follows wrappers to the media files. @param read fetches a further document. @throws CreativeError. */
export async function resolveVast(
  first: { xml: string; url?: string | undefined },
  read: (url: string) => Promise<{ xml: string; url: string }>,
): Promise<readonly MediaFile[]> {
  const seen = new Set<string>(first.url === undefined ? [] : [first.url]);
  let { xml, url }: { xml: string; url?: string | undefined } = first;
  for (let documents = 1; documents <= MAX_DOCUMENTS; documents++) {
    const vast = parseVast(xml);
    if (vast.kind === 'inline') return absolute(vast.files, url);
    const next = absoluteUrl(vast.next, url);
    if (seen.has(next)) throw invalidVast(`The VAST wrappers form a circle: ${next} appears twice.`);
    seen.add(next);
    ({ xml, url } = await read(next));
    seen.add(url ?? next);
  }
  throw invalidVast(`The VAST has more than ${MAX_DOCUMENTS - 1} nested wrappers.`);
}

/** @throws CreativeError if the document is not VAST, or holds no ad. */
export function parseVast(xml: string): Vast {
  const root = parsed(xml);
  const vast = child(root, 'VAST') ?? child(root, 'VideoAdServingTemplate');
  if (vast === undefined) throw invalidVast('The document is not VAST.');
  const ads = list(vast, 'Ad');
  for (const ad of ads) {
    for (const inline of list(ad, 'InLine')) {
      const files = mediaFiles(inline);
      if (files.length > 0) return { kind: 'inline', files };
    }
    for (const wrapper of list(ad, 'Wrapper')) {
      const next = text(child(wrapper, 'VASTAdTagURI') ?? child(child(wrapper, 'VASTAdTagURL'), 'URL'));
      if (next !== '') return { kind: 'wrapper', next };
    }
  }
  throw invalidVast(
    ads.length === 0
      ? 'The VAST holds no ad (an empty response).'
      : 'The VAST holds no video file (no linear creative with a MediaFile).',
  );
}

/**
 * @returns the best file that a browser can play: the largest declared size up to full HD.
 * @throws CreativeError if there is none.
 */
export function bestFile(files: readonly MediaFile[]): MediaFile {
  const playable = files.filter(
    ({ type, url }) => PLAYABLE.includes(type) || (type === '' && /\.(mp4|webm|m4v)(\?|$)/i.test(url)),
  );
  const rank = ({ size, bitrate, type }: MediaFile) =>
    [size && size.width <= 1_920 ? size.width : 0, type === 'video/mp4' ? 1 : 0, bitrate] as const;
  const [best] = playable.toSorted((a, b) => compare(rank(b), rank(a)));
  if (best !== undefined) return best;
  const types = [...new Set(files.map(({ type }) => type || 'unknown'))].join(', ');
  throw invalidVast(`The VAST has no video that a browser can play, only ${types}.`);
}

function compare(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((value, index) => value !== b[index]);
  return differing < 0 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0);
}

type Node = Readonly<Record<string, unknown>>;

function parsed(xml: string): Node {
  if (xml.length > MAX_CHARACTERS) throw invalidVast('The VAST is larger than 1 MB.');
  if (/<!DOCTYPE|<!ENTITY/i.test(xml)) throw invalidVast('The VAST declares XML entities, which are not accepted.');
  try {
    return asNode(parser.parse(xml)) ?? {};
  } catch (cause) {
    throw invalidVast('The VAST is not well-formed XML.', { cause });
  }
}

function mediaFiles(inline: Node): MediaFile[] {
  return list(child(inline, 'Creatives') ?? {}, 'Creative')
    .flatMap((creative) => list(creative, 'Linear'))
    .flatMap((linear) => list(child(linear, 'MediaFiles') ?? {}, 'MediaFile'))
    .filter((file) => !/vpaid/i.test(attributeOf(file, 'apiFramework')))
    .map((file) => ({
      url: text(file),
      type: attributeOf(file, 'type').toLowerCase().split(';')[0] ?? '',
      size: declaredSize(file),
      bitrate: Number(attributeOf(file, 'bitrate') || attributeOf(file, 'maxBitrate')) || 0,
    }))
    .filter(({ url }) => url !== '');
}

function declaredSize(file: Node): Size | undefined {
  const [width, height] = [Number(attributeOf(file, 'width')), Number(attributeOf(file, 'height'))];
  return width > 1 && height > 1 ? { width, height } : undefined;
}

function absolute(files: readonly MediaFile[], base: string | undefined): MediaFile[] {
  return files.map((file) => ({ ...file, url: absoluteUrl(file.url, base) }));
}

function absoluteUrl(url: string, base: string | undefined): string {
  try {
    return new URL(url, base).href;
  } catch (cause) {
    throw invalidVast(`The VAST contains an invalid URL: "${url.slice(0, 200)}".`, { cause });
  }
}

function asNode(value: unknown): Node | undefined {
  if (typeof value === 'string') return { '#text': value };
  return typeof value === 'object' && value !== null ? (value as Node) : undefined;
}

function child(node: Node | undefined, name: string): Node | undefined {
  const value = node?.[name];
  return asNode(Array.isArray(value) ? value[0] : value);
}

function list(node: Node, name: string): Node[] {
  const value = node[name];
  return (Array.isArray(value) ? value : [value]).map(asNode).filter((item) => item !== undefined);
}

function text(node: Node | undefined): string {
  const value = node?.['#text'];
  return typeof value === 'string' ? value.trim() : '';
}

function attributeOf(node: Node, name: string): string {
  const value = node[`@${name}`];
  return typeof value === 'string' ? value : '';
}

function invalidVast(reason: string, options?: ErrorOptions): CreativeError {
  return new CreativeError('generic_error', reason, options);
}
