/** A page with ad slots and a banner, served on loopback, so that the first picture needs neither a site nor an ad. */
import { readdirSync, readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import path from 'node:path';
import { type HttpServer, startHttpServer } from '../service/httpServer.ts';

export interface SamplePage {
  /** With a slash at its end. */
  readonly url: string;
  readonly bannerUrl: string;
  /** The one address that captures may reach: `<address>:<port>`. */
  readonly address: string;
  readonly server: HttpServer;
}

const HOST = '127.0.0.1';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.webp': 'image/webp',
};

/** @param port the port of the last start, which is used again if it is free, so that old sets can be taken again. */
export async function startSamplePage(port: number | undefined): Promise<SamplePage> {
  const listener = answerFiles(new URL('../../pages/newRequest/sample/', import.meta.url));
  const start = (wanted: number) => startHttpServer(listener, { host: HOST, port: wanted, name: 'the sample page' });
  const server = port === undefined ? await start(0) : await start(port).catch(() => start(0));
  const address = `${HOST}:${server.port}`;
  return { url: `http://${address}/`, bannerUrl: `http://${address}/banner.html`, address, server };
}

function answerFiles(folder: URL): RequestListener {
  const files = new Map(readdirSync(folder).map((name) => [`/${name}`, readFileSync(new URL(name, folder))]));
  return (request, response) => {
    const asked = new URL(request.url ?? '/', `http://${HOST}`).pathname;
    const name = asked === '/' ? '/index.html' : asked;
    const bytes = files.get(name);
    const type = bytes === undefined ? 'text/plain; charset=utf-8' : (TYPES[path.extname(name)] ?? '');
    response.writeHead(bytes === undefined ? 404 : 200, { 'content-type': type });
    response.end(request.method === 'HEAD' ? undefined : (bytes ?? 'The sample site has no page at this address.\n'));
  };
}
