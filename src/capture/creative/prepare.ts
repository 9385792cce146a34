import type { GuardedFetch } from '../../egress/ports.ts';
import type { CreativeFormat, CreativeSource } from './creative.ts';
import { CreativeError, requireSuccess } from './creativeError.ts';
import type { CreativeServer } from './creativeServer.ts';
import { documentSize, onlySource, tagSize } from './declaredSize.ts';
import { detectContent } from './detectContent.ts';
import { framePage, imagePage, scriptTag, tagDocument } from './documents.ts';
import { replaceMacros } from './macros.ts';
import { withoutAudio } from './mp4Audio.ts';
import { checkedSize, type Size } from './size.ts';
import { readRaster } from './stillImage.ts';
import { isScripted, svgSize } from './svg.ts';
import { bestFile, resolveVast } from './vast.ts';
import { unpack, type ZipSite } from './zip.ts';

/** A creative that is ready to be rendered. */
export type PreparedCreative = PreparedStill | PreparedPage | PreparedVideo;

export interface PreparedStill {
  readonly kind: 'still';
  readonly format: CreativeFormat;
  readonly bytes: Buffer;
  readonly size: Size;
}

export interface PreparedPage {
  readonly kind: 'page';
  readonly format: CreativeFormat;
  /** Undefined: to be measured first. */
  readonly size: Size | undefined;
  /** Makes it ready at a size. @returns the address to open. */
  readonly open: (size: Size) => string;
  /** Whether the creative stands in a frame of the opened document, or is that document. */
  readonly framed: boolean;
  /** The address without which there is no creative. */
  readonly main?: string | undefined;
}

export interface PreparedVideo {
  readonly kind: 'video';
  readonly format: CreativeFormat;
  /** Of the bytes, in an origin of ours. */
  readonly address: string;
  /** What VAST says; the file's own header knows better when the shapes differ. */
  readonly declared: Size | undefined;
}

export interface PrepareTools {
  readonly fetch: GuardedFetch;
  readonly server: CreativeServer;
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

/** Bytes of a creative, with where they came from. */
export interface FetchedContent {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** Undefined for bytes that were at hand. */
  readonly url?: string;
  readonly headers?: Headers;
}

const MAX_BYTES = 64 * 1024 * 1024;

/** Finds out what the source is and makes it ready. @throws CreativeFailure, and the errors of the guarded fetch. */
export async function prepare(source: CreativeSource, tools: PrepareTools): Promise<PreparedCreative> {
  switch (source.kind) {
    case 'html_tag':
      return tagScene(source.content, tools);
    case 'file':
      return contentScene({ bytes: source.bytes, contentType: '' }, tools);
    case 'url':
      return contentScene(await fetchContent(replaceMacros(source.content, CACHE_STAMP), tools), tools);
  }
}

/** What cache busters are replaced with: the same in every render. */
const CACHE_STAMP = '1700000000';

/** Fetches an address as a browser would. */
export async function fetchContent(url: string, { fetch, userAgent, signal }: PrepareTools): Promise<FetchedContent> {
  const answer = await fetch(url, { signal, maxBytes: MAX_BYTES, headers: { 'user-agent': userAgent, accept: '*/*' } });
  requireSuccess(answer.status, url);
  if (answer.status === 204) throw new CreativeError('generic_error', `${url} answered that it has no ad (204).`);
  return {
    bytes: answer.body,
    contentType: answer.headers.get('content-type') ?? '',
    url: answer.url,
    headers: answer.headers,
  };
}

async function contentScene(fetched: FetchedContent, tools: PrepareTools): Promise<PreparedCreative> {
  const content = await detectContent(fetched.bytes, fetched.contentType);
  switch (content.kind) {
    case 'raster':
      return rasterScene(fetched.bytes, content.type, tools);
    case 'svg':
      return svgScene(fetched.bytes, tools);
    case 'video':
      return videoScene(fetched.bytes, content.type, tools);
    case 'vast':
      return vastScene(fetched, tools);
    case 'zip':
      return zipScene(fetched.bytes, tools);
    case 'html':
      return htmlScene(fetched, tools);
    case 'script':
      return scriptScene(fetched, tools);
  }
}

async function rasterScene(bytes: Buffer, type: string, { server }: PrepareTools): Promise<PreparedCreative> {
  const image = await readRaster(bytes);
  const size = checkedSize(image);
  if (!image.animated) return { kind: 'still', format: 'image', bytes, size };
  return pictureScene(bytes, { type, size, server });
}

/** As an image, as ads are embedded; a scripted one as a document, where its scripts run. */
function svgScene(bytes: Buffer, { server }: PrepareTools): PreparedCreative {
  const source = bytes.toString('utf8');
  const size = checkedSize(svgSize(source));
  const type = 'image/svg+xml';
  if (!isScripted(source)) return pictureScene(bytes, { type, size, server });
  const address = server.openDocument(bytes, type);
  return {
    kind: 'page',
    format: 'image',
    size,
    framed: true,
    open: (shown) => server.openDocument(framePage(address, shown)),
  };
}

function pictureScene(
  bytes: Buffer,
  { type, size, server }: { type: string; size: Size; server: CreativeServer },
): PreparedCreative {
  const address = server.openDocument(bytes, type);
  const open = (shown: Size) => server.openDocument(imagePage(address, shown));
  return { kind: 'page', format: 'image', size, framed: false, open };
}

function videoScene(bytes: Buffer, type: string, { server }: PrepareTools): PreparedVideo {
  // The page of the video and its bytes have one origin, so that a script may read them.
  const address = server.openVideo(type === 'video/mp4' ? withoutAudio(bytes) : bytes, type);
  return { kind: 'video', format: 'video', address, declared: undefined };
}

async function vastScene({ bytes, url }: FetchedContent, tools: PrepareTools): Promise<PreparedCreative> {
  const files = await resolveVast({ xml: bytes.toString('utf8'), url }, async (next) => {
    const filled = replaceMacros(next, CACHE_STAMP);
    return { xml: (await fetchContent(filled, tools)).bytes.toString('utf8'), url: filled };
  });
  const file = bestFile(files);
  const media = await fetchContent(replaceMacros(file.url, CACHE_STAMP), tools);
  const content = await detectContent(media.bytes, media.contentType);
  if (content.kind !== 'video')
    throw new CreativeError('generic_error', `The VAST's media file ${file.url} is no video.`);
  return { ...videoScene(media.bytes, content.type, tools), format: 'vast', declared: file.size };
}

async function zipScene(bytes: Buffer, { server }: PrepareTools): Promise<PreparedCreative> {
  const site = await unpack(bytes);
  const page = site.files.get(site.index)?.toString('utf8') ?? '';
  const address = server.openSite(site);
  const open = (shown: Size) => server.openDocument(framePage(address, shown));
  return { kind: 'page', format: 'html5_zip', size: documentSize(page) ?? scriptSize(site), framed: true, open };
}

/** Adobe Animate keeps the size in the script beside the page. */
function scriptSize({ files }: ZipSite): Size | undefined {
  for (const [name, content] of files) {
    const size = name.endsWith('.js') ? documentSize(content.toString('utf8')) : undefined;
    if (size !== undefined) return size;
  }
  return undefined;
}

function htmlScene(fetched: FetchedContent, { server }: PrepareTools): PreparedCreative {
  const { bytes, headers, contentType } = fetched;
  const size = documentSize(bytes.toString('utf8'));
  const url = isShownAsPage(contentType) ? fetched.url : undefined;
  // A page that forbids frames, as some previews do, is opened by itself.
  if (url !== undefined && forbidsFrames(headers))
    return { kind: 'page', format: 'html', size, framed: false, open: () => url, main: url };
  const address = url ?? server.openDocument(basedAt(bytes, fetched.url), 'text/html');
  const open = (shown: Size) => server.openDocument(framePage(address, shown));
  return { kind: 'page', format: 'html', size, framed: true, open, main: url };
}

/** A browser makes a page of HTML only when the server calls it that. @throws CreativeFailure for HTML in place of a picture. */
function isShownAsPage(contentType: string): boolean {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (/^(image|video|audio)\//.test(type))
    throw new CreativeError('generic_error', `The server says that it sends ${type}, but what it sends is HTML.`);
  return type === '' || type === 'text/html' || type === 'application/xhtml+xml';
}

/** HTML that moves to an origin of ours: what it names relatively stays where it is. */
function basedAt(html: Buffer, url: string | undefined): Buffer {
  if (url === undefined) return html;
  const base = `<base href="${url.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">`;
  // Byte for byte, for its encoding is unknown here.
  const text = html.toString('latin1').replace(/^(\xEF\xBB\xBF)?\s*(<!doctype[^>]*>)?/i, (start) => start + base);
  return Buffer.from(text, 'latin1');
}

function forbidsFrames(headers: Headers | undefined): boolean {
  const ancestors = /frame-ancestors\s+([^;]*)/i.exec(headers?.get('content-security-policy') ?? '')?.[1];
  return headers?.has('x-frame-options') === true || (ancestors !== undefined && !ancestors.split(/\s+/).includes('*'));
}

function scriptScene({ url, bytes }: FetchedContent, tools: PrepareTools): PreparedCreative {
  return tagScene(scriptTag(url ?? tools.server.openDocument(bytes, 'text/javascript')), tools);
}

function tagScene(tag: string, { server }: PrepareTools): PreparedCreative {
  if (tag.trim() === '') throw new CreativeError('generic_error', 'The tag is empty.');
  const filled = replaceMacros(tag, CACHE_STAMP);
  const address = server.openDocument(tagDocument(filled));
  const open = (shown: Size) => server.openDocument(framePage(address, shown));
  return { kind: 'page', format: 'tag', size: tagSize(filled), framed: true, open, main: onlySource(filled) };
}
