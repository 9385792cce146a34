/** A page with ad slots and a banner, served on loopback, so that the first picture needs neither a site nor an ad. */
import { fileURLToPath } from 'node:url';
import express from 'express';
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
const FILES = fileURLToPath(new URL('../../pages/newRequest/sample/', import.meta.url));

/** @param port the port of the last start, which is used again if it is free, so that old sets can be taken again. */
export async function startSamplePage(port: number | undefined): Promise<SamplePage> {
  const listener = express().use(express.static(FILES));
  const start = (wanted: number) => startHttpServer(listener, { host: HOST, port: wanted, name: 'the sample page' });
  const server = port === undefined ? await start(0) : await start(port).catch(() => start(0));
  const address = `${HOST}:${server.port}`;
  return { url: `http://${address}/`, bannerUrl: `http://${address}/banner.html`, address, server };
}
