import { randomBytes } from 'node:crypto';
import { lookup } from 'mime-types';
import type { LocalAnswer, LocalOrigins } from '../../egress/ports.ts';
import type { ZipSite } from './creative.ts';
import { videoPage } from './documents.ts';
import { decodedAddress } from './markup.ts';

export const MP4 = /\.(?:mp4|m4v)$/i;
const HEADER_BYTES = 8;

interface Mp4Box {
  /** The whole box. Both buffers share the memory of the copy. */
  readonly head: Buffer;
  readonly content: Buffer;
}

/** A zip that the browser can open. */
export interface OpenedSite {
  /** The URL of its page. */
  readonly address: string;
  readonly files: ZipSite['files'];
  /** The files that any page has loaded so far. */
  readonly used: ReadonlySet<string>;
  /** @returns the file at the path of a URL. */
  find(path: string): string | undefined;
}

/** Serves the files of one creative to the browser, from this process. Browsers treat a `*.localhost` origin as secure. */
export class CreativeServer {
  readonly #origins: LocalOrigins;
  readonly #hosts: string[] = [];

  constructor(origins: LocalOrigins) {
    this.#origins = origins;
  }

  /** Opens a new origin. @returns its URL, which ends with a slash. */
  open(handler: (path: string) => LocalAnswer | undefined): string {
    const host = `${randomBytes(12).toString('hex')}.creative.localhost`;
    this.#origins.serve(host, handler);
    this.#hosts.push(host);
    return `http://${host}/`;
  }

  /** Opens an origin with one document. @returns its URL. */
  openDocument(html: string | Buffer, type = 'text/html; charset=utf-8'): string {
    return this.open((path) => (/^\/(?:\?|$)/.test(path) ? { type, body: html } : undefined));
  }

  /**
   * Opens an origin with an unpacked zip. Its MP4 files lose their sound, because a video with sound plays in real time.
   */
  openSite({ files, aliases, index }: ZipSite): OpenedSite {
    const served = new Map([...files].map(([name, bytes]) => [name, MP4.test(name) ? withoutAudio(bytes) : bytes]));
    const folder = index.includes('/') ? index.slice(0, index.lastIndexOf('/') + 1) : '';
    const used = new Set<string>();
    const find = (path: string) => {
      const name = decodedAddress(path.replace(/[?#].*$/s, '').replace(/^\/+/, '')).normalize('NFC');
      // An absolute path may refer to the folder of the page or to the root of the zip.
      return [folder + name, name]
        .map((candidate) => (served.has(candidate) ? candidate : aliases.get(candidate)))
        .find((candidate) => candidate !== undefined);
    };
    const origin = this.open((path) => {
      const name = find(path);
      const body = name === undefined ? undefined : served.get(name);
      if (name === undefined || body === undefined) return undefined;
      used.add(name);
      return { ...contentOf(name, body), body };
    });
    return { address: origin + encodeURIComponent(index.slice(folder.length)), files, used, find };
  }

  /** Opens an origin with a video. Its query `?<width>x<height>` gives a page that shows the video at that size. */
  openVideo(bytes: Buffer, type: string): string {
    return this.open((path) => {
      if (path === '/media') return { type, body: bytes };
      const [, width, height] = /^\/\?(\d+)x(\d+)$/.exec(path) ?? [];
      if (width === undefined || height === undefined) return undefined;
      return {
        type: 'text/html; charset=utf-8',
        body: videoPage('/media', { width: Number(width), height: Number(height) }),
      };
    });
  }

  close(): void {
    for (const host of this.#hosts.splice(0)) this.#origins.remove(host);
  }
}

/** Exports of game engines hold these files compressed, and expect a server that declares it. Other scripts unpack their data. */
const PACKED = /\.(?:html?|css|m?js|wasm|data)\.(gz|br)$/i;

/** @returns the content type and the encoding of a file of a creative, as ad servers declare them. */
export function contentOf(name: string, bytes: Buffer): Pick<LocalAnswer, 'type' | 'headers'> {
  const packed = PACKED.exec(name)?.[1]?.toLowerCase();
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (packed === 'br') return { type: typeOf(name.slice(0, -'.br'.length)), headers: { 'content-encoding': 'br' } };
  if (!isGzip || (packed === undefined && !/\.svgz$/i.test(name))) return { type: typeOf(name) };
  return { type: typeOf(name.replace(/\.gz$/i, '')), headers: { 'content-encoding': 'gzip' } };
}

/** @returns the content type for a file name. */
function typeOf(name: string): string {
  return MP4.test(name) ? 'video/mp4' : lookup(name) || 'application/octet-stream';
}

/**
 * Hides the audio tracks of an MP4 by renaming their boxes to `free`. A video with sound plays in real time, even if muted.
 * @returns a copy; unchanged if the bytes are not an MP4.
 */
export function withoutAudio(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  for (const movie of boxes(copy, 'moov')) {
    for (const track of boxes(movie.content, 'trak')) if (isAudio(track.content)) track.head.write('free', 4, 'latin1');
  }
  return copy;
}

function isAudio(track: Buffer): boolean {
  for (const media of boxes(track, 'mdia')) {
    for (const handler of boxes(media.content, 'hdlr')) {
      // Four bytes of version and flags and four reserved bytes precede the kind.
      if (handler.content.toString('latin1', 8, 12) === 'soun') return true;
    }
  }
  return false;
}

/** @returns the boxes of that name directly in `bytes`. Stops at a damaged length. */
function boxes(bytes: Buffer, name: string): Mp4Box[] {
  const found: Mp4Box[] = [];
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const { length, header } = lengthOf(bytes, at);
    if (length < header || at + length > bytes.length) break;
    if (bytes.toString('latin1', at + 4, at + 8) === name)
      found.push({ head: bytes.subarray(at, at + length), content: bytes.subarray(at + header, at + length) });
    at += length;
  }
  return found;
}

/** A length of 0 means to the end of the file; 1 means that eight bytes with the length follow. */
function lengthOf(bytes: Buffer, at: number): { length: number; header: number } {
  const short = bytes.readUInt32BE(at);
  if (short === 0) return { length: bytes.length - at, header: HEADER_BYTES };
  if (short !== 1 || at + 16 > bytes.length) return { length: short, header: HEADER_BYTES };
  return { length: Number(bytes.readBigUInt64BE(at + HEADER_BYTES)), header: 16 };
}
