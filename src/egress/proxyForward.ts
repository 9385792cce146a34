import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as openRequest,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';
import { limitBytes } from './body.ts';
import { ConnectionFailedError, EgressRefusedError, NetworkTimeoutError } from './errors.ts';
import { endToEndHeaders, withHost } from './proxyHeaders.ts';

export interface ForwardOptions {
  agent: Agent;
  /** The longest wait for the response head, and between two chunks of the body. */
  idleMs: number;
  maxBytes: number;
  /** Called at most once, before any part of a response was forwarded. */
  failed(error: unknown): void;
}

/** Streams a request to its server and the response back to the client. */
export function forward(
  target: URL,
  request: IncomingMessage,
  response: ServerResponse,
  options: ForwardOptions,
): void {
  const upstream = openUpstream(target, request, options);
  let answered = false;
  const fail = (error: unknown) => {
    if (response.headersSent || response.destroyed) response.destroy();
    else if (!answered) options.failed(error);
    answered = true;
  };
  upstream.setTimeout(options.idleMs, () =>
    upstream.destroy(new NetworkTimeoutError(`${target.host} did not answer within ${options.idleMs} ms.`)),
  );
  upstream.on('error', (error) => fail(typed(error, target)));
  upstream.on('upgrade', (_answer, socket) => socket.destroy());
  upstream.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEndHeaders(answer.rawHeaders));
    pipeline(answer, limitBytes(options.maxBytes), response, (error) => {
      if (error) upstream.destroy();
    });
  });
  response.on('close', () => upstream.destroy());
  // A pipeline would close the client's connection on an error, before the failure response is sent.
  request.pipe(upstream);
}

function openUpstream(target: URL, request: IncomingMessage, { agent }: ForwardOptions): ClientRequest {
  return openRequest({
    agent,
    host: target.hostname,
    port: target.port === '' ? 80 : Number(target.port),
    path: target.pathname + target.search,
    method: request.method ?? 'GET',
    headers: withHost(endToEndHeaders(request.rawHeaders), target.host),
    maxHeaderSize: 64 * 1024,
  });
}

function typed(error: Error, target: URL): Error {
  if (!('code' in error) || error instanceof EgressRefusedError) return error;
  return new ConnectionFailedError(`${target.host} closed the connection: ${error.message}.`, { cause: error });
}
