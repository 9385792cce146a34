import { randomBytes } from 'node:crypto';
import type { LocalAnswer, LocalOrigins } from '../../egress/ports.ts';

/** Origins of one rendering, answered in this process. A `*.localhost` origin counts as trustworthy to a browser. */
export class Stage {
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

  close(): void {
    for (const host of this.#hosts.splice(0)) this.#origins.remove(host);
  }
}
