import {
  type Agent,
  type ClientRequest,
  type IncomingMessage,
  request as openRequest,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';
import { secondsText } from '../lib/secondsText.ts';
import { limitBytes } from './body.ts';
import { ConnectionFailedError, EgressRefusedError, NetworkTimeoutError } from './errors.ts';
import { type AbsoluteTarget, endToEndHeaders, hasBody, withHost } from './proxyRequest.ts';

export interface ForwardOptions {
  agent: Agent;
  /** The longest wait for the response head, and between two chunks of the body. */
  idleMs: number;
  maxBytes: number;
  /** Called at most once, before any part of a response was forwarded. */
  failed(error: unknown): void;
}

/** The characters that a reason may have (RFC 9112, 4). */
const REASON = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Streams a request to its server and the response back to the client. */
export function forward(
  { url: target, path }: AbsoluteTarget,
  request: IncomingMessage,
  response: ServerResponse,
  options: ForwardOptions,
): void {
  const upstream = openUpstream(target, path, request, options.agent);
  let answered = false;
  const fail = (error: unknown) => {
    if (response.headersSent || response.destroyed) response.destroy();
    else if (!answered) options.failed(error);
    answered = true;
  };
  upstream.setTimeout(options.idleMs, () =>
    upstream.destroy(new NetworkTimeoutError(`${target.host} did not answer within ${secondsText(options.idleMs)}.`)),
  );
  let answer: IncomingMessage | undefined;
  upstream.on('error', (error) => {
    // After the whole answer, nothing else matters. For example, some servers send a body after HEAD.
    if (!answer?.complete) fail(typed(error, target));
  });
  const invalid = ({ statusCode }: IncomingMessage) => {
    const text = `${target.host} answered with the status ${statusCode}, which is not valid here.`;
    fail(new ConnectionFailedError(text));
    upstream.destroy();
  };
  upstream.on('upgrade', (switching, socket) => {
    socket.destroy();
    invalid(switching);
  });
  upstream.on('response', (given) => {
    answer = given;
    const { statusCode = 0, statusMessage = '' } = answer;
    // Node reads status lines that it refuses to write. Without these checks, a site could end the process.
    if (statusCode < 200) return invalid(answer);
    const reason = REASON.test(statusMessage) ? statusMessage : '';
    response.writeHead(statusCode, reason, endToEndHeaders(answer.rawHeaders));
    pipeline(answer, limitBytes(options.maxBytes), response, (error) => {
      if (error) upstream.destroy();
    });
  });
  response.on('close', () => {
    upstream.destroy();
    // If the server answers early, the rest of the body is read, because the next request of the connection follows it.
    request.unpipe(upstream).resume();
  });
  // Otherwise Node sends the head with the first bytes of the body, and no server could answer before them.
  if (hasBody(request)) upstream.flushHeaders();
  // A pipeline would close the client's connection on an error, before the failure response is sent.
  request.pipe(upstream);
}

function openUpstream(target: URL, path: string, request: IncomingMessage, agent: Agent): ClientRequest {
  return openRequest({
    agent,
    host: target.hostname,
    port: target.port === '' ? 80 : Number(target.port),
    path,
    method: request.method ?? 'GET',
    headers: withHost(withFraming(endToEndHeaders(request.rawHeaders), request), target.host),
    maxHeaderSize: 64 * 1024,
  });
}

/** Without a length, Node writes the body of a GET as it is, and the server would read it as another request. */
function withFraming(headers: readonly string[], { headers: given }: IncomingMessage): readonly string[] {
  const isFramed = given['content-length'] !== undefined || given['transfer-encoding'] !== undefined;
  const hasLength = headers.some((text, at) => at % 2 === 0 && text.toLowerCase() === 'content-length');
  return isFramed && !hasLength ? [...headers, 'Transfer-Encoding', 'chunked'] : headers;
}

function typed(error: Error, target: URL): Error {
  if (!('code' in error) || error instanceof EgressRefusedError) return error;
  return new ConnectionFailedError(`${target.host} closed the connection: ${error.message}.`, { cause: error });
}
