import type { GuardedFetch } from '../../egress/ports.ts';
import { identify } from './content.ts';
import type { CreativeFormat, CreativeSource } from './creative.ts';
import { documentSize, tagSize } from './declaredSize.ts';
import { framePage, picturePage, scriptTag, tagDocument } from './documents.ts';
import { CreativeFailure, refuseStatus } from './failure.ts';
import { replaceMacros } from './macros.ts';
import { checkedSize, type Size } from './size.ts';
import type { Stage } from './stage.ts';
import { readRaster } from './stillImage.ts';

/** A creative that is ready to be rendered. */
export type Scene = { readonly format: CreativeFormat } & (
  | { readonly kind: 'still'; readonly bytes: Buffer; readonly size: Size }
  /** A document of ours around the creative; without a size, it is measured first. */
  | {
      readonly kind: 'page';
      readonly size: Size | undefined;
      readonly page: (size: Size) => string;
      readonly main?: string;
    }
  /** A video at an address of ours; its own header has its size, unless one is declared. */
  | { readonly kind: 'video'; readonly address: string; readonly declared: Size | undefined }
);

export interface PrepareTools {
  readonly fetch: GuardedFetch;
  readonly stage: Stage;
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

/** Bytes of a creative, with where they came from. */
export interface Fetched {
  readonly bytes: Buffer;
  readonly contentType: string;
  /** After redirects; undefined for bytes that were at hand. */
  readonly url?: string;
  readonly headers?: Headers;
}

const MAX_BYTES = 64 * 1024 * 1024;

/** Finds out what the source is and makes it ready. @throws CreativeFailure, and the errors of the guarded fetch. */
export async function prepare(source: CreativeSource, tools: PrepareTools): Promise<Scene> {
  switch (source.kind) {
    case 'html_tag':
      return tagScene(source.content, tools);
    case 'file':
      return contentScene({ bytes: source.bytes, contentType: '' }, tools);
    case 'url':
      return contentScene(await load(replaceMacros(source.content, CACHE_STAMP), tools), tools);
  }
}

/** What cache busters are replaced with: the same in every render. */
const CACHE_STAMP = '1700000000';

/** Fetches an address as a browser would. */
export async function load(url: string, { fetch, userAgent, signal }: PrepareTools): Promise<Fetched> {
  const answer = await fetch(url, { signal, maxBytes: MAX_BYTES, headers: { 'user-agent': userAgent, accept: '*/*' } });
  refuseStatus(answer.status, url);
  if (answer.status === 204) throw new CreativeFailure('generic_error', `${url} answered that it has no ad (204).`);
  return {
    bytes: answer.body,
    contentType: answer.headers.get('content-type') ?? '',
    url: answer.url,
    headers: answer.headers,
  };
}

async function contentScene(fetched: Fetched, tools: PrepareTools): Promise<Scene> {
  const content = await identify(fetched.bytes, fetched.contentType);
  switch (content.kind) {
    case 'raster':
      return rasterScene(fetched.bytes, content.type, tools);
    case 'html':
      return htmlScene(fetched, tools);
    case 'script':
      return scriptScene(fetched, tools);
    default:
      throw new CreativeFailure('generic_error', `not yet: ${content.kind}`);
  }
}

async function rasterScene(bytes: Buffer, type: string, { stage }: PrepareTools): Promise<Scene> {
  const image = await readRaster(bytes);
  const size = checkedSize(image);
  if (!image.animated) return { kind: 'still', format: 'image', bytes, size };
  const address = stage.open((path) => (path === '/' ? { type, body: bytes } : undefined));
  return { kind: 'page', format: 'image', size, page: (shown) => picturePage(address, shown) };
}

/** A page that forbids frames, as some previews do, is opened by itself. */
function htmlScene(fetched: Fetched, { stage }: PrepareTools): Scene {
  const size = documentSize(fetched.bytes.toString('utf8'));
  const address = fetched.url ?? stage.openDocument(fetched.bytes, 'text/html');
  return { kind: 'page', format: 'html', size, page: (shown) => framePage(address, shown), main: address };
}

function scriptScene({ url, bytes }: Fetched, tools: PrepareTools): Scene {
  const source = url ?? tools.stage.openDocument(bytes, 'text/javascript');
  return tagScene(scriptTag(source), tools);
}

function tagScene(tag: string, { stage }: PrepareTools): Scene {
  if (tag.trim() === '') throw new CreativeFailure('generic_error', 'The tag is empty.');
  const filled = replaceMacros(tag, CACHE_STAMP);
  const address = stage.openDocument(tagDocument(filled));
  return {
    kind: 'page',
    format: 'tag',
    size: tagSize(filled),
    page: (shown) => framePage(address, shown),
    main: address,
  };
}
