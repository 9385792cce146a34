import type { CreativeFacts } from '../../contract/creativeFacts.ts';
import { CREATIVE_MAX_BYTES, type CreativeFormat } from '../../domain/ads.ts';
import type { Warning } from '../../domain/warnings.ts';
import type { GuardedFetch } from '../../egress/ports.ts';
import { detectContent, NotACreativeError } from '../../lib/detectContent.ts';
import { requirePromise } from '../../lib/promisedContent.ts';
import { CreativeError, type CreativeSource, checkedSize, requireSuccess, type Size } from './creative.ts';
import { type CreativeServer, type OpenedSite, withoutAudio } from './creativeServer.ts';
import { onlySource, pageClaims, tagSize, zipClaims } from './declaredSize.ts';
import {
  basedAt,
  framePage,
  iframeTag,
  imagePage,
  pageWithMraid,
  replaceMacros,
  scriptTag,
  siteWithMraid,
  tagDocument,
  withMraid,
} from './documents.ts';
import { imageSize, pictureHint, stretched } from './imageSize.ts';
import { isOwnFile } from './loadWarnings.ts';
import { decodeText, isScripted, svgSize } from './markup.ts';
import { declaredOnly, namesInUrl, type SizeClaims } from './sizeClaims.ts';
import { readRaster } from './stillImage.ts';
import { resolveVast, type VastContent } from './vast.ts';
import { type DisplayResource, decodeXml } from './vastAds.ts';
import { unpack } from './zip.ts';

/** A creative that is ready to be rendered. */
export type PreparedCreative = PreparedStill | PreparedPage | PreparedVideo;

interface PreparedFormat {
  readonly format: CreativeFormat;
  /** For the user of the pictures. */
  readonly warnings?: readonly Warning[];
  /** The length of the file of the ad; undefined for a tag. */
  readonly fileBytes?: number;
}

export interface PreparedStill extends PreparedFormat {
  readonly kind: 'still';
  readonly bytes: Buffer;
  readonly size: Size;
}

export interface PreparedPage extends PreparedFormat {
  readonly kind: 'page';
  /** The size that the creative declares, and what its names suggest. */
  readonly claims: SizeClaims;
  /** @returns the URL that shows the creative at this size. @param query for a creative in an origin of ours. */
  readonly open: (size: Size, query?: string) => string;
  /** True if the creative is in an iframe of the opened document, false if it is that document. */
  readonly framed: boolean;
  /** The URL of the only resource that the creative consists of. */
  readonly main?: string | undefined;
  readonly site?: OpenedSite;
  readonly animation?: CreativeFacts['animation'];
}

export interface PreparedVideo extends PreparedFormat {
  readonly kind: 'video';
  /** The URL of the video in an origin of ours. */
  readonly address: string;
  /** The size in the VAST. It is ignored if the aspect ratio of the file differs. */
  readonly declared: Size | undefined;
}

export interface PrepareTools {
  readonly fetch: GuardedFetch;
  readonly server: CreativeServer;
  readonly userAgent: string;
  /** The size that the client gave, CSS pixels. */
  readonly size?: Size | undefined;
  /** The format in an earlier capture. */
  readonly earlierFormat?: string | undefined;
  readonly signal: AbortSignal;
}

/** The bytes of a creative and their origin. */
export interface FetchedContent {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** The URL before redirects. */
  readonly address?: string;
  /** Undefined for bytes that were not fetched. */
  readonly url?: string;
  /** The name of the file, and other names that may say its size; the most important first. */
  readonly names?: readonly string[];
  readonly headers?: Headers;
}

/** Fetches the source, detects its format and prepares it for rendering. @throws CreativeError, errors of the guarded fetch. */
export async function prepare(source: CreativeSource, tools: PrepareTools): Promise<PreparedCreative> {
  switch (source.kind) {
    case 'html_tag':
      return prepareTag(source.content, tools);
    case 'file':
      return prepareContent({ bytes: source.bytes, contentType: '', names: [source.name] }, tools);
    case 'url': {
      const fetched = await fetchContent(replaceMacros(source.content, CACHE_STAMP), tools);
      return prepareContent({ ...fetched, names: namesInUrl(source.content) }, tools);
    }
  }
}

/** The value of cache busters, the same in every rendering. */
const CACHE_STAMP = '1700000000';

/** Fetches a URL with the headers of a browser. @throws CreativeError, errors of the guarded fetch. */
export async function fetchContent(url: string, { fetch, userAgent, signal }: PrepareTools): Promise<FetchedContent> {
  const answer = await fetch(url, {
    signal,
    maxBytes: CREATIVE_MAX_BYTES,
    headers: { 'user-agent': userAgent, accept: '*/*' },
  });
  requireSuccess(answer.status, url);
  if (answer.status === 204) throw new CreativeError(`${url} answered with HTTP status 204: it has no ad.`);
  return {
    bytes: answer.body,
    contentType: answer.headers.get('content-type') ?? '',
    address: url,
    url: answer.url,
    headers: answer.headers,
  };
}

async function prepareContent(fetched: FetchedContent, tools: PrepareTools): Promise<PreparedCreative> {
  return { fileBytes: fetched.bytes.length, ...(await preparedContent(fetched, tools)) };
}

async function preparedContent(fetched: FetchedContent, tools: PrepareTools): Promise<PreparedCreative> {
  const content = await detectContent(fetched.bytes, fetched.contentType);
  const { address, contentType } = fetched;
  const name = address === undefined ? fetched.names?.[0] : undefined;
  requirePromise(content.kind, { address, name, contentType, earlierFormat: tools.earlierFormat });
  switch (content.kind) {
    case 'raster':
      return prepareRaster(fetched, content.type, tools);
    case 'svg':
      return prepareSvg(fetched.bytes, tools);
    case 'video':
      return prepareVideo(fetched.bytes, content.type, tools);
    case 'vast':
      return prepareVast(fetched, tools);
    case 'zip':
      return prepareZip(fetched, tools);
    case 'html':
      return prepareHtml(fetched, tools);
    case 'script':
      return prepareScript(fetched, tools);
  }
}

async function prepareRaster(
  { bytes }: FetchedContent,
  type: string,
  { server, size: requested }: PrepareTools,
): Promise<PreparedCreative> {
  const image = await readRaster(bytes);
  const { size, warnings } = imageSize(checkedSize(image), requested);
  if (!image.needsBrowser) return { kind: 'still', format: 'image', bytes, size, warnings };
  const { animation } = image;
  return { ...prepareImagePage(bytes, { type, size, server }), warnings, ...(animation && { animation }) };
}

/** An SVG is shown as an image, as pages embed ads. An SVG with scripts is shown as a document, so that they run. */
function prepareSvg(bytes: Buffer, { server, size: requested }: PrepareTools): PreparedCreative {
  const source = bytes.toString('utf8');
  const size = requested ?? checkedSize(svgSize(source));
  const type = 'image/svg+xml';
  if (!isScripted(source)) return prepareImagePage(bytes, { type, size, server });
  const address = server.openDocument(bytes, type);
  return {
    kind: 'page',
    format: 'image',
    claims: declaredOnly(size, 'the image'),
    ...inIframe(address, server),
  };
}

function prepareImagePage(
  bytes: Buffer,
  { type, size, server }: { type: string; size: Size; server: CreativeServer },
): PreparedPage {
  const address = server.openDocument(bytes, type);
  const open = (shown: Size) => server.openDocument(imagePage(address, shown));
  return { kind: 'page', format: 'image', claims: declaredOnly(size, 'the image'), framed: false, open };
}

function prepareVideo(bytes: Buffer, type: string, { server }: PrepareTools): PreparedVideo {
  // The page and the video have one origin, so that the page's script may read the video.
  const address = server.openVideo(type === 'video/mp4' ? withoutAudio(bytes) : bytes, type);
  return { kind: 'video', format: 'video', address, declared: undefined };
}

async function prepareVast({ bytes, url }: FetchedContent, tools: PrepareTools): Promise<PreparedCreative> {
  const read = async (next: string) => {
    const filled = replaceMacros(next, CACHE_STAMP);
    return { xml: decodeXml((await fetchContent(filled, tools)).bytes), url: filled };
  };
  /** A file whose bytes decided is not fetched again. */
  const videos = new Map<string, FetchedContent>();
  const fetchFile = async (file: string) =>
    videos.get(file) ?? (await fetchContent(replaceMacros(file, CACHE_STAMP), tools));
  const isVideo = async (url: string) => {
    const file = await fetchFile(url);
    const content = await detectContent(file.bytes, file.contentType).catch((error: unknown) => {
      if (error instanceof NotACreativeError) return undefined;
      throw error;
    });
    if (content?.kind === 'video') videos.set(url, file);
    return videos.has(url);
  };
  const content = await resolveVast({ xml: decodeXml(bytes), url }, { read, isVideo, size: tools.size });
  if (content.kind === 'display') return prepareVastDisplay(content, tools);
  return prepareVastVideo(content, await fetchFile(content.file.url), tools);
}

async function prepareVastVideo(
  { file, warnings }: Extract<VastContent, { kind: 'video' }>,
  { bytes, contentType }: FetchedContent,
  tools: PrepareTools,
): Promise<PreparedCreative> {
  const content = await detectContent(bytes, contentType);
  if (content.kind !== 'video') throw new CreativeError(`The media file of the VAST, ${file.url}, is not a video.`);
  const video = prepareVideo(bytes, content.type, tools);
  return { ...video, fileBytes: bytes.length, format: 'vast', declared: file.size, warnings };
}

/** A companion or non-linear ad, at its declared size. */
async function prepareVastDisplay(
  { ad: { resource, size }, warnings }: Extract<VastContent, { kind: 'display' }>,
  tools: PrepareTools,
): Promise<PreparedCreative> {
  const prepared = await prepareResource(resource, size, tools);
  return { ...prepared, format: 'vast', warnings: [...warnings, ...(prepared.warnings ?? [])] };
}

async function prepareResource(
  resource: DisplayResource,
  size: Size | undefined,
  tools: PrepareTools,
): Promise<PreparedCreative> {
  switch (resource.kind) {
    case 'image':
      return prepareVastImage(await fetchContent(replaceMacros(resource.url, CACHE_STAMP), tools), size, tools);
    case 'script':
      return sized(prepareTag(scriptTag(resource.url), tools), size);
    case 'page':
      return sized(prepareTag(iframeTag(resource.url, size), tools), size);
    case 'html':
      return sized(prepareTag(resource.html, tools), size);
  }
}

async function prepareVastImage(
  fetched: FetchedContent,
  size: Size | undefined,
  tools: PrepareTools,
): Promise<PreparedCreative> {
  const content = await detectContent(fetched.bytes, fetched.contentType);
  if (content.kind === 'raster' && size !== undefined) {
    // The declared size may differ from that of the file.
    const pixels = await readRaster(fetched.bytes);
    const page = prepareImagePage(fetched.bytes, { type: content.type, size, server: tools.server });
    return { ...page, warnings: stretched(pixels, tools.size ?? size) };
  }
  const prepared = await prepareContent(fetched, tools);
  return prepared.kind === 'page' ? sized(prepared, size) : prepared;
}

function sized(prepared: PreparedPage, size: Size | undefined): PreparedPage {
  return size === undefined ? prepared : { ...prepared, claims: declaredOnly(size, 'the VAST') };
}

async function prepareZip({ bytes, names = [] }: FetchedContent, tools: PrepareTools): Promise<PreparedCreative> {
  const { server, size } = tools;
  const site = await unpack(bytes, { size, zipName: names[0] });
  const opened = server.openSite(siteWithMraid(site));
  const claims = zipClaims(site, names);
  const hints = [...claims.hints, ...(await pictureHint(site.files))];
  const page = { claims: { ...claims, hints }, site: opened, ...inIframe(opened.address, server) };
  return { kind: 'page', format: 'html5_zip', ...page };
}

function prepareHtml(fetched: FetchedContent, { server }: PrepareTools): PreparedCreative {
  const { bytes, headers, contentType, names } = fetched;
  const claims = pageClaims(decodeText(bytes), names);
  const url = isShownAsPage(contentType) ? fetched.url : undefined;
  // A page that forbids iframes, as some previews do, is opened directly.
  if (url !== undefined && forbidsFrames(headers))
    return { kind: 'page', format: 'html', claims, framed: false, open: () => url, main: url };
  const address = url ?? server.openDocument(basedAt(pageWithMraid(bytes), fetched.url), 'text/html');
  return { kind: 'page', format: 'html', claims, ...inIframe(address, server), main: url };
}

/** @returns whether a browser shows this content type as a page. */
function isShownAsPage(contentType: string): boolean {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  return type === '' || type === 'text/html' || type === 'application/xhtml+xml';
}

function forbidsFrames(headers: Headers | undefined): boolean {
  const ancestors = /frame-ancestors\s+([^;]*)/i.exec(headers?.get('content-security-policy') ?? '')?.[1];
  return headers?.has('x-frame-options') === true || (ancestors !== undefined && !ancestors.split(/\s+/).includes('*'));
}

function prepareScript({ url, bytes }: FetchedContent, tools: PrepareTools): PreparedCreative {
  return prepareTag(scriptTag(url ?? tools.server.openDocument(bytes, 'text/javascript')), tools);
}

function prepareTag(tag: string, { server }: PrepareTools): PreparedPage {
  if (tag.trim() === '') throw new CreativeError('The tag is empty.');
  const filled = replaceMacros(tag, CACHE_STAMP);
  const address = server.openDocument(tagDocument(withMraid(filled)));
  const claims = declaredOnly(tagSize(filled), 'the tag');
  return { kind: 'page', format: 'tag', claims, ...inIframe(address, server), main: onlySource(filled) };
}

function inIframe(address: string, server: CreativeServer): Pick<PreparedPage, 'framed' | 'open'> {
  const with_ = (query: string) => address + (isOwnFile(address) ? query : '');
  return { framed: true, open: (size, query = '') => server.openDocument(framePage(with_(query), size)) };
}
