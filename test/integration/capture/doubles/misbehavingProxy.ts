/**
 * A proxy in front of the real internal API. It misbehaves on demand and records the calls that it forwards. It exists because
 * a real API breaks a connection, answers with 500 or does not answer only at moments that a test cannot choose.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { PROTOCOL_VERSION } from '../../../../src/contract/protocolVersion.ts';
import { listenHttp } from '../../../support/listeners.ts';

/** A number is the status of the answer. A function runs before the request is forwarded and may change its URL. */
export type Misbehaviour = number | 'hang' | 'reset' | ((url: URL) => unknown);

/** The API answers as it answers a call that its release does not know. */
export const callUnknownPath = (url: URL): void => {
  url.pathname = `/internal/${PROTOCOL_VERSION}/unknown`;
};

/** The API answers as it answers a program that speaks version 3 of the protocol. */
export const callVersion3 = (url: URL): void => {
  url.pathname = url.pathname.replace(`/${PROTOCOL_VERSION}/`, '/v3/');
};

export interface RecordedCall {
  /** Begins after the id of the job: `/creatives/claim`. */
  readonly path: string;
  readonly body: unknown;
  /** The body of the answer with status 200; undefined before it arrives, and for any other status. */
  answer?: unknown;
}

/** @param target the address of the API, read at each request. */
export async function startMisbehavingProxy(target: () => string) {
  const calls: RecordedCall[] = [];
  const rules: { request: RegExp; misbehaviour: Misbehaviour }[] = [];

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '/', target());
    const path = url.pathname.replace(/^\/internal\/[^/]+\/jobs\/[^/]+/, '');
    const found = rules.findIndex(({ request }) => request.test(`${req.method} ${path}`));
    const rule = found < 0 ? undefined : rules.splice(found, 1)[0]?.misbehaviour;
    if (rule === 'hang') return;
    if (rule === 'reset') req.socket.destroy();
    else if (typeof rule === 'number') res.writeHead(rule).end('The test asked for this status.');
    else {
      await rule?.(url);
      await forward(req, res, { url, path });
    }
  }

  async function forward(req: IncomingMessage, res: ServerResponse, { url, path }: { url: URL; path: string }) {
    const { method = 'GET' } = req;
    const { authorization = '', 'content-type': contentType = '' } = req.headers;
    const body = await buffer(req);
    const call: RecordedCall = { path, body: method === 'POST' ? JSON.parse(body.toString()) : undefined };
    if (method === 'POST') calls.push(call);
    const disconnected = new AbortController();
    res.on('close', () => disconnected.abort());
    const response = await fetch(url, {
      method,
      headers: { authorization, 'content-type': contentType },
      body: method === 'GET' ? null : new Uint8Array(body),
      signal: disconnected.signal,
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (method === 'POST' && response.status === 200) call.answer = JSON.parse(bytes.toString());
    res.writeHead(response.status, { 'content-type': response.headers.get('content-type') ?? 'text/plain' }).end(bytes);
  }

  const server = await listenHttp((req, res) => answer(req, res).catch(() => res.destroy()));
  return {
    url: server.url,
    calls,
    pathsOf: (pattern: RegExp) => calls.map(({ path }) => path).filter((path) => pattern.test(path)),
    /** The next requests whose `<METHOD> <path>` matches go wrong, and the proxy does not record them. */
    misbehave(request: RegExp, misbehaviour: Misbehaviour, times = 1) {
      for (let i = 0; i < times; i++) rules.push({ request, misbehaviour });
    },
    close: () => server.close(),
  };
}
