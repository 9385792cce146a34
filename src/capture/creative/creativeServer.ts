import { randomBytes } from 'node:crypto';
import type { LocalAnswer, LocalOrigins } from '../../egress/ports.ts';
import { videoPage } from './documents.ts';
import { typeOf } from './mediaTypes.ts';
import type { ZipSite } from './zip.ts';

/** Origins of one rendering, answered in this process. A `*.localhost` origin counts as trustworthy to a browser. */
export class CreativeServer {
  readonly #origins: LocalOrigins;
  readonly #hosts: string[] = [];

  constructor(origins: LocalOrigins) {
    this.#origins = origins;
  }

  /** Opens an origin of its own. @returns its address, ended by a slash. */
  open(handler: (path: string) => LocalAnswer | undefined): string {
    const host = `${randomBytes(12).toString('hex')}.creative.localhost`;
    this.#origins.serve(host, handler);
    this.#hosts.push(host);
    return `http://${host}/`;
  }

  /** Opens an origin with one document. */
  openDocument(html: string | Buffer, type = 'text/html; charset=utf-8'): string {
    return this.open((path) => (path === '/' ? { type, body: html } : undefined));
  }

  /** Opens an origin with an unpacked zip. @returns the address of its page. */
  openSite({ files, index }: ZipSite): string {
    const folder = index.includes('/') ? index.slice(0, index.lastIndexOf('/') + 1) : '';
    const address = this.open((path) => {
      const name = fileName(path);
      // A path from the root means the folder of the page, or the zip's own root.
      const found = [folder + name, name].find((candidate) => files.has(candidate));
      const body = found === undefined ? undefined : files.get(found);
      return body === undefined ? undefined : { type: typeOf(name), body };
    });
    return address + encodeURI(index.slice(folder.length));
  }

  /** Opens an origin with a video and the pages that show it at a size: `?<width>x<height>`. */
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

/** The file that a path asks for: without its query, decoded where it can be. */
function fileName(path: string): string {
  const plain = path.replace(/[?#].*$/s, '').replace(/^\/+/, '');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
