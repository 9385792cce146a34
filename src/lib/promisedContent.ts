/** Compares what the name or the content type of a creative promises with its bytes, for example a zip that is a sign-in page. */
import { type DetectedContent, NotACreativeError } from './detectContent.ts';

type Kind = DetectedContent['kind'];
type Family = 'zip' | 'image' | 'video' | 'xml';

const EXTENSIONS: Readonly<Record<Family, RegExp>> = {
  zip: /\.zip$/i,
  image: /\.(?:png|apng|jpe?g|gif|webp|avif|svg)$/i,
  video: /\.(?:mp4|m4v|webm|mov)$/i,
  xml: /\.(?:xml|vast|vmap)$/i,
};

/** Only types that servers do not send by mistake for pages. */
const TYPES: Readonly<Partial<Record<Family, RegExp>>> = {
  zip: /^application\/(?:x-)?zip(?:-compressed)?$/,
  image: /^image\//,
  video: /^(?:video|audio)\//,
};

/** Servers send a film in place of an animated image. */
const KEPT: Readonly<Record<Family, readonly Kind[]>> = {
  zip: ['zip'],
  image: ['raster', 'svg', 'video'],
  video: ['video'],
  xml: ['vast', 'raster', 'svg', 'video', 'zip'],
};

const NAMES: Readonly<Record<Kind, string>> = {
  raster: 'an image',
  svg: 'an SVG image',
  video: 'a video',
  vast: 'a VAST document',
  zip: 'a zip',
  html: 'an HTML page',
  script: 'a script',
};

/** By the format of a creative. A creative that was a page or a tag has no expected format. */
const EARLIER: Readonly<Record<string, string>> = {
  html5_zip: 'an HTML5 zip',
  image: 'an image',
  video: 'a video',
  vast: 'a VAST document',
};

const FAMILIES: readonly Family[] = ['zip', 'image', 'video', 'xml'];

const PUBLIC = 'Send an address that returns the file without a sign-in or a preview page.';

/** The facts about a creative that are known before its bytes. */
export interface ContentPromise {
  /** The address as the client gave it. Its query is no promise, because it often names a file in another sense. */
  readonly address?: string | undefined;
  /** The name of a file. */
  readonly name?: string | undefined;
  readonly contentType?: string | undefined;
  /** The format of the creative in an earlier capture. */
  readonly earlierFormat?: string | undefined;
}

/** @throws NotACreativeError that names both formats, if the bytes are of another one than promised. */
export function requirePromise(kind: Kind, { address, name, contentType, earlierFormat }: ContentPromise): void {
  const is = NAMES[kind];
  const end = brokenExtension(URL.parse(address ?? '')?.pathname ?? '', kind);
  const page = kind === 'html' ? ` ${PUBLIC}` : '';
  if (end !== undefined)
    throw new NotACreativeError(`The address ends with ${end}, but the server answered with ${is}.${page}`);
  const ofName = brokenExtension(name ?? '', kind);
  if (ofName !== undefined)
    throw new NotACreativeError(`The name of the file ends with ${ofName}, but the file is ${is}.`);
  if (kind !== 'html' && kind !== 'script') return;
  const type = (contentType?.split(';')[0] ?? '').trim().toLowerCase();
  if (kind === 'html' && FAMILIES.some((family) => TYPES[family]?.test(type)))
    throw new NotACreativeError(`The server declares the content type ${type}, but sends ${is}.${page}`);
  const earlier = EARLIER[earlierFormat ?? ''];
  if (earlier !== undefined)
    throw new NotACreativeError(
      `In earlier captures the ad was ${earlier}, but its address now answers with ${is}.${page} If that is the ad now, create a new ad.`,
    );
}

/** @returns the extension that promises another kind. */
function brokenExtension(path: string, kind: Kind): string | undefined {
  const family = FAMILIES.find((one) => EXTENSIONS[one].test(path));
  return family === undefined || KEPT[family].includes(kind)
    ? undefined
    : path.slice(path.lastIndexOf('.')).toLowerCase();
}
