/** The file of a user in the place of a page: a screenshot, or a saved page. Only the parts of the file load. */
import type { Protocol } from 'devtools-protocol';
import sharp from 'sharp';
import { GIVEN_PAGE_LIMITS, type GivenPageFormat } from '../../domain/uploads.ts';
import type { Size } from '../creative/creative.ts';
import { contentOf } from '../creative/creativeServer.ts';
import { decodedAddress } from '../creative/markup.ts';
import { unpack } from '../creative/zip.ts';
import { GivenPageError, isSame, type PagePart, readMhtml } from './mhtml.ts';

export interface GivenFile {
  readonly format: GivenPageFormat;
  readonly bytes: Buffer;
}

const IMAGE_PATH = '/given-page-image';

export interface GivenPage {
  /** Shows one image, so there is nothing to search, to click or to wait for. */
  readonly isScreenshot: boolean;
  partAt(url: string): PagePart | undefined;
}

/** @param about the address that the page gets, and the screen of the device. @throws GivenPageError, CreativeError */
export async function readGivenPage(file: GivenFile, about: { site: string; screen: Size }): Promise<GivenPage> {
  const site = new URL(about.site);
  switch (file.format) {
    case 'image':
      return pageOf(await screenshotParts(file.bytes, site, about.screen), true);
    case 'html':
      return pageOf((url) => (isSame(url, site) ? { type: 'text/html', body: file.bytes } : undefined));
    case 'html5_zip':
      return pageOf(await zipParts(file.bytes, site));
    case 'mhtml':
      return pageOf(readMhtml(file.bytes, site));
  }
}

type Parts = (url: URL) => PagePart | undefined;

function pageOf(parts: Parts, isScreenshot = false): GivenPage {
  return { isScreenshot, partAt: (address) => parts(new URL(address)) };
}

/** The image is as wide as the screen, whatever its pixel ratio. */
async function screenshotParts(bytes: Buffer, site: URL, { width }: Size): Promise<Parts> {
  const image = await sharp(bytes, { limitInputPixels: GIVEN_PAGE_LIMITS.pixels })
    .metadata()
    .catch((cause: unknown) => {
      throw new GivenPageError('The screenshot cannot be read. Upload it again as PNG, JPEG or WebP.', { cause });
    });
  if (image.width * image.height > GIVEN_PAGE_LIMITS.pixels)
    throw new GivenPageError(`The screenshot has ${image.width} × ${image.height} pixels, which is too large.`);
  const html = `<!doctype html><meta name="viewport" content="width=device-width"><title></title>
<body style="margin:0"><img src="${IMAGE_PATH}" alt="" style="display:block;width:${width}px">`;
  const page = { type: 'text/html', body: Buffer.from(html) };
  const picture = { type: `image/${image.format}`, body: bytes };
  return (url) => (isSame(url, site) ? page : url.pathname === IMAGE_PATH ? picture : undefined);
}

/** Its files are beside its page, so their addresses begin with the folder of the site. */
async function zipParts(bytes: Buffer, site: URL): Promise<Parts> {
  const { files, aliases, index } = await unpack(bytes);
  const ofPage = index.slice(0, index.lastIndexOf('/') + 1);
  const ofSite = new URL('.', site).pathname;
  return (url) => {
    if (url.origin !== site.origin) return undefined;
    const path = decodedAddress(url.pathname).normalize('NFC');
    const beside = path.startsWith(ofSite) ? path.slice(ofSite.length) : path.slice(1);
    const names = isSame(url, site) ? [index] : [ofPage + beside, beside, path.slice(1)];
    const name = names.map((one) => (files.has(one) ? one : aliases.get(one))).find((one) => one !== undefined);
    const body = name === undefined ? undefined : files.get(name);
    return body && name !== undefined ? { type: contentOf(name, body).type, body } : undefined;
  };
}

export function answerOf(part: PagePart): Omit<Protocol.Fetch.FulfillRequestRequest, 'requestId'> {
  const headers = { 'content-type': part.type, 'access-control-allow-origin': '*' };
  return {
    responseCode: 200,
    responseHeaders: Object.entries(headers).map(([name, value]) => ({ name, value })),
    body: part.body.toString('base64'),
  };
}
