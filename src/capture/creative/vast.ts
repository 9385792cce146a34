/**
 * Finds the ad that a VAST or VMAP document shows first. This is its video file, or the companion whose size the client
 * gave. Without a video, it is a companion or a non-linear ad.
 */
import { isStandardSize } from '../../domain/adSizes.ts';
import type { Warning } from '../../domain/warnings.ts';
import { areaOf, CreativeError, type Size } from './creative.ts';
import {
  absoluteUrl,
  attributeOf,
  child,
  children,
  type DisplayAd,
  type InlineAd,
  type MediaFile,
  parseVastXml,
  readAds,
  textOf,
  type VastAd,
  type XmlNode,
} from './vastAds.ts';

/** The source of the ads of a break. */
type BreakSource = { readonly vast: XmlNode } | { readonly xml: string } | { readonly url: string };

/** Positions by number (`#1`), in percent and at the end have no known time; they follow those with a time. */
const NUMBERED = 1e6;
const PERCENT = 1e7;
const END = 1e9;

export interface VastDocument {
  readonly xml: string;
  /** Undefined for a document that was not fetched. */
  readonly url?: string | undefined;
}

/** URLs are absolute. */
export type VastContent =
  | { readonly kind: 'video'; readonly file: MediaFile; readonly warnings: readonly Warning[] }
  | { readonly kind: 'display'; readonly ad: DisplayAd; readonly warnings: readonly Warning[] };

interface ResolveOptions {
  /** Fetches a further document. */
  readonly read: (url: string) => Promise<VastDocument>;
  /** Reads a media file whose type and address say too little. Default: such a file is no video. */
  readonly isVideo?: (url: string) => Promise<boolean>;
  /** The size that the client gave. It chooses a companion of this size, also beside a video. */
  readonly size?: Size | undefined;
}

/** The length of one chain of wrappers, with the document at its end. */
const MAX_CHAIN = 6;
/** The documents of all chains. */
const MAX_DOCUMENTS = 20;

/** Follows wrappers, ad pods and ad breaks to the first video. @throws CreativeError, errors of `read`. */
export async function resolveVast(first: VastDocument, options: ResolveOptions): Promise<VastContent> {
  return new VastResolver(options).resolve(first);
}

/** The documents that led to a document. */
interface Chain {
  readonly base: string | undefined;
  readonly seen: readonly string[];
  readonly length: number;
}

class VastResolver {
  readonly #options: ResolveOptions;
  readonly #displays: DisplayAd[] = [];
  /** Media files that no browser plays. */
  readonly #unplayable: MediaFile[] = [];
  /** Errors of ads that were skipped. */
  readonly #faults: unknown[] = [];
  #documents = 1;
  #ads = 0;

  constructor(options: ResolveOptions) {
    this.#options = options;
  }

  async resolve({ xml, url }: VastDocument): Promise<VastContent> {
    const seen = url === undefined ? [] : [url];
    const film = await this.#inDocument(xml, { base: url, seen, length: 1 });
    if (film !== undefined) return film;
    const display = this.#bestDisplay();
    if (display !== undefined) return display;
    if (this.#faults.length > 0) throw this.#faults[0];
    throw new CreativeError(this.#reason());
  }

  async #inDocument(xml: string, chain: Chain): Promise<VastContent | undefined> {
    const root = parseVastXml(xml);
    const vast = child(root, 'VAST') ?? child(root, 'VideoAdServingTemplate');
    if (vast !== undefined) return this.#inVast(vast, chain);
    const vmap = child(root, 'VMAP');
    if (vmap === undefined)
      throw new CreativeError('The document is not VAST. Send a VAST document, or the video file itself.');
    const sources = readBreaks(vmap);
    return this.#firstOf(sources, (source) => {
      if ('vast' in source) return this.#inVast(source.vast, chain);
      return 'xml' in source ? this.#inText(source.xml, chain) : this.#behind(source.url, { ...chain, length: 0 });
    });
  }

  /** A document inside of a VMAP, which holds no further VMAP. */
  async #inText(xml: string, chain: Chain): Promise<VastContent | undefined> {
    const vast = child(parseVastXml(xml), 'VAST');
    return vast && this.#inVast(vast, chain);
  }

  async #inVast(vast: XmlNode, chain: Chain): Promise<VastContent | undefined> {
    return this.#firstOf(readAds(vast), (ad: VastAd) => {
      this.#ads += 1;
      return ad.kind === 'wrapper' ? this.#behind(ad.next, chain) : this.#inAd(ad, chain.base);
    });
  }

  /** Skips an ad with an error, as a player does. */
  async #firstOf<T>(
    items: readonly T[],
    find: (item: T) => Promise<VastContent | undefined> | VastContent | undefined,
  ): Promise<VastContent | undefined> {
    for (const item of items) {
      try {
        const found = await find(item);
        if (found !== undefined) return found;
      } catch (error) {
        this.#faults.push(error);
      }
    }
    return undefined;
  }

  async #behind(reference: string, { base, seen, length }: Chain): Promise<VastContent | undefined> {
    const next = absoluteUrl(reference, base);
    if (seen.includes(next)) throw new CreativeError(`The VAST wrappers form a circle: ${next} appears twice.`);
    if (length >= MAX_CHAIN) throw new CreativeError(`The VAST has more than ${MAX_CHAIN - 1} nested wrappers.`);
    if (this.#documents >= MAX_DOCUMENTS)
      throw new CreativeError(`The VAST refers to more than ${MAX_DOCUMENTS} documents.`);
    this.#documents += 1;
    const { xml, url = next } = await this.#options.read(next);
    return this.#inDocument(xml, { base: url, seen: [...seen, next, url], length: length + 1 });
  }

  async #inAd(
    { files, mezzanines, displays, hasInteractiveFile }: InlineAd,
    base: string | undefined,
  ): Promise<VastContent | undefined> {
    const file =
      bestFile(files) ?? bestFile(mezzanines) ?? (await this.#fileByItsBytes([...files, ...mezzanines], base));
    if (file === undefined) {
      this.#unplayable.push(...files);
      this.#displays.push(...displays.flatMap((ad) => withAbsoluteUrl(ad, base)));
      return undefined;
    }
    const { size } = this.#options;
    const companion = isSameSize(file.size, size) ? undefined : companionOf(displays, size, base);
    if (companion !== undefined) {
      const message = `The picture shows the companion of ${sizeText(size)}, because the ad has its size. Without a size, it shows the video.`;
      return { kind: 'display', ad: companion, warnings: [...this.#skipped(), { code: 'part_shown', message }] };
    }
    const hasScript = files.some(({ apiFramework, url }) => /vpaid/i.test(apiFramework) && url !== file.url);
    const warnings = [
      ...this.#skipped(),
      ...layerWarnings(hasInteractiveFile ? 'SIMID' : hasScript ? 'VPAID' : undefined),
    ];
    return { kind: 'video', file: { ...file, url: absoluteUrl(file.url, base) }, warnings };
  }

  async #fileByItsBytes(files: readonly MediaFile[], base: string | undefined): Promise<MediaFile | undefined> {
    const { isVideo } = this.#options;
    if (isVideo === undefined) return undefined;
    for (const file of ranked(files.filter(isUnclear)).slice(0, MAX_READ_FILES))
      if (await isVideo(absoluteUrl(file.url, base))) return file;
    return undefined;
  }

  #skipped(): Warning[] {
    const [first] = this.#faults;
    if (!(first instanceof Error)) return [];
    return [{ code: 'part_shown', message: `An earlier ad of the VAST was skipped: ${first.message}` }];
  }

  #bestDisplay(): VastContent | undefined {
    const ad = bestDisplayAd(this.#displays, this.#options.size);
    if (ad === undefined) return undefined;
    const isAudio = this.#unplayable.some(({ type }) => type.startsWith('audio/'));
    const others = this.#displays.filter((other) => other !== ad).map(({ size: other }) => sizeText(other));
    const choice =
      others.length === 0 ? '' : ` It has others: ${others.join(', ')}. Set the size of the ad to choose one.`;
    const needsPlayer = this.#unplayable.some(({ apiFramework }) => /vpaid/i.test(apiFramework));
    const why = isAudio
      ? 'is an audio ad'
      : needsPlayer
        ? 'has only a VPAID unit, which needs a video player'
        : 'has no video that a browser can play';
    const message = `The VAST ${why}. The picture shows its ${ad.role} of ${sizeText(ad.size)}.${choice}`;
    return { kind: 'display', ad, warnings: [{ code: 'part_shown', message }] };
  }

  #reason(): string {
    if (this.#unplayable.length > 0) return refusalOfFiles(this.#unplayable);
    return this.#ads === 0
      ? 'The VAST holds no ad (an empty response). Send a VAST that contains an ad, or the video file itself.'
      : 'The VAST holds no video file (no linear creative with a MediaFile), and no companion or non-linear ad that a browser can show. Send a VAST with an MP4 file.';
  }
}

/**
 * @returns the largest ad that fits into the requested size. Without a size, or if none fits, the first companion of a standard
 * size, because pages have slots for it. If there is none, the first companion, or else the first non-linear ad.
 */
function bestDisplayAd(ads: readonly DisplayAd[], wanted: Size | undefined): DisplayAd | undefined {
  const area = ({ size }: DisplayAd) => (size === undefined ? 0 : areaOf(size));
  const fits = ({ size }: DisplayAd) =>
    wanted !== undefined && size !== undefined && size.width <= wanted.width && size.height <= wanted.height;
  const [fitting] = ads.filter(fits).toSorted((a, b) => area(b) - area(a));
  const companions = ads.filter(({ role }) => role === 'companion');
  return fitting ?? companions.find(({ size }) => size && isStandardSize(size)) ?? companions[0] ?? ads[0];
}

function companionOf(ads: readonly DisplayAd[], wanted: Size | undefined, base?: string): DisplayAd | undefined {
  const companions = ads.filter(({ role, size }) => role === 'companion' && isSameSize(size, wanted));
  return companions.flatMap((ad) => withAbsoluteUrl(ad, base))[0];
}

function isSameSize(one: Size | undefined, two: Size | undefined): boolean {
  return one !== undefined && one.width === two?.width && one.height === two.height;
}

/** @returns nothing for an invalid URL. */
function withAbsoluteUrl(ad: DisplayAd, base: string | undefined): DisplayAd[] {
  const { resource } = ad;
  if (resource.kind === 'html') return [ad];
  if (!URL.canParse(resource.url, base)) return [];
  return [{ ...ad, resource: { ...resource, url: new URL(resource.url, base).href } }];
}

function layerWarnings(layer: string | undefined): Warning[] {
  if (layer === undefined) return [];
  return [
    { code: 'part_shown', message: `The picture shows the video of the ad without its interactive part (${layer}).` },
  ];
}

function sizeText(size: Size | undefined): string {
  return size === undefined ? 'an unknown size' : `${size.width} × ${size.height}`;
}

const PLAYABLE = ['video/mp4', 'video/webm', 'video/x-m4v', 'video/ogg', 'video/quicktime'];
const PLAYABLE_ADDRESS = /\.(?:mp4|webm|m4v)(?:[?#]|$)/i;
/** Types and addresses of files that no browser plays as a video: Flash, scripts, pages, pictures, sound, streams, old videos. */
const OTHER_TYPE = /flash|shockwave|script|html|xml|json|^(?:audio|image|text)\b|mpegurl|flv|wmv|x-ms|3gp|mpeg2|mp2t/;
const OTHER_ADDRESS =
  /\.(?:swf|js|html?|xml|json|jpe?g|png|gif|mp3|m4a|aac|ogg|wav|m3u8|mpd|flv|wmv|3gp|ts)(?:[?#]|$)/i;

/** Each read file may be large. */
const MAX_READ_FILES = 3;

/** A type may be misspelt or general, such as `video/x-mp4` or `application/octet-stream`. Then the address decides. */
function isPlayable({ type, url }: MediaFile): boolean {
  return PLAYABLE.includes(type) || (PLAYABLE_ADDRESS.test(url) && !OTHER_TYPE.test(type));
}

/** True if only the bytes of the file show what it is. */
function isUnclear({ type, url }: MediaFile): boolean {
  return !OTHER_TYPE.test(type) && !OTHER_ADDRESS.test(url);
}

/** @returns the best file that a browser can play: the largest declared size up to full HD. Undefined if there is none. */
function bestFile(files: readonly MediaFile[]): MediaFile | undefined {
  return ranked(files.filter(isPlayable))[0];
}

/** @returns the files, the best first. */
function ranked(files: readonly MediaFile[]): MediaFile[] {
  const rank = ({ size, bitrate, type }: MediaFile) =>
    [size && size.width <= 1_920 ? size.width : 0, type === 'video/mp4' ? 1 : 0, bitrate] as const;
  return files.toSorted((a, b) => compare(rank(b), rank(a)));
}

function compare(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((value, index) => value !== b[index]);
  return differing < 0 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0);
}

/** @returns why none of the files can be shown, and what to send instead. */
function refusalOfFiles(files: readonly MediaFile[]): string {
  const types = [...new Set(files.map(({ type }) => type || 'unknown'))].join(', ');
  if (files.every(({ type }) => /flash|shockwave/.test(type)))
    return `The VAST has only a Flash file (${types}), which no browser plays. Send a VAST with an MP4 file.`;
  if (files.some(({ apiFramework, type }) => /vpaid/i.test(apiFramework) || /javascript/.test(type)))
    return `The VAST has only a VPAID unit (a script, ${types}), which needs a video player. Send a VAST with an MP4 file, or the video file itself.`;
  if (files.every(({ type }) => type.startsWith('audio/')))
    return `The VAST is an audio ad (${types}) without a companion, so it has nothing to show. Send an image or a video.`;
  if (files.every(({ type }) => /mpegurl|dash\+xml/.test(type)))
    return `The VAST has only a stream (${types}). Send a VAST with a progressive MP4 file, or the video file itself.`;
  return `The VAST has no video that a browser can play, only ${types}. Send a VAST with an MP4 file.`;
}

/** @returns the sources in the order of the breaks in time. */
function readBreaks(vmap: XmlNode): BreakSource[] {
  return children(vmap, 'AdBreak')
    .map((node) => ({ node, at: offsetOf(attributeOf(node, 'timeOffset')) }))
    .toSorted((a, b) => a.at - b.at)
    .flatMap(({ node }) => sourcesOf(child(node, 'AdSource')));
}

function sourcesOf(source: XmlNode | undefined): BreakSource[] {
  const data = child(source, 'VASTAdData') ?? child(source, 'VASTData');
  const vast = child(data, 'VAST');
  if (vast !== undefined) return [{ vast }];
  // Some servers write the document as text.
  const xml = textOf(data);
  if (xml.startsWith('<')) return [{ xml }];
  const url = textOf(child(source, 'AdTagURI'));
  return url === '' ? [] : [{ url }];
}

/** @returns a number to sort by; seconds for a time. */
function offsetOf(text: string): number {
  if (text === 'start') return 0;
  if (text === 'end') return END;
  const [, number] = /^#(\d+)$/.exec(text) ?? [];
  if (number !== undefined) return NUMBERED + Number(number);
  const [, percent] = /^([\d.]+)%$/.exec(text) ?? [];
  if (percent !== undefined) return PERCENT + Number(percent);
  const [, hours, minutes, seconds] = /^(\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  return Number(hours ?? 0) * 3_600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0);
}
