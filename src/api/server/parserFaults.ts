/** Answers requests that Node's HTTP parser refuses, which no route sees, in the format of the public API. */
import { randomUUID } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';
import { type ErrorCode, Failure } from '../../domain/failure.ts';
import { failureBody } from './failureBody.ts';

interface ParserFault {
  readonly status: number;
  readonly code: ErrorCode;
  readonly text: string;
}

const FAULTS: Readonly<Record<string, ParserFault>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    text: 'The request line and the headers must be at most 16 KiB together.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'too_large',
    text: 'The extensions of the chunks of the body must be at most 16 KiB.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    text: 'The request did not arrive completely in time: send it again.',
  },
};
/** A client that continues to send after its answer is cut off then. */
const CLOSE_AFTER_MS = 5_000;
const OTHER: ParserFault = { status: 400, code: 'malformed', text: 'The request is not valid HTTP/1.1.' };

export function answerParserFaults(server: Server): void {
  const running = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, response) => running.set(socket, response));
  const rejected = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // The rest of what the client sends. To close before it has arrived would reset the connection, and lose the answer.
    if (rejected.has(socket) && error.code !== 'ECONNRESET') return;
    const isAnswered = running.get(socket)?.headersSent === true && running.get(socket)?.writableFinished === false;
    // The bytes of an answer would become part of the one that is being sent.
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswered) {
      socket.destroy();
      return;
    }
    rejected.add(socket);
    socket.end(answerOf(FAULTS[error.code ?? ''] ?? OTHER));
    const timer = setTimeout(() => socket.destroy(), CLOSE_AFTER_MS);
    socket.once('close', () => clearTimeout(timer));
  });
}

function answerOf({ status, code, text }: ParserFault): string {
  const id = randomUUID();
  const body = JSON.stringify(failureBody(code, id, { request: [text] }));
  const headers = [
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}

/** Refuses two `Host` headers, which a proxy and the service could read differently. The server must have `requireHostHeader: false`. */
export const requireOneHost: RequestHandler = (request, _response, next) => {
  const hosts = request.headersDistinct['host'] ?? [];
  if (hosts.length > 1) throw hostFault('must be sent once, not several times.');
  if (hosts.length === 0 && request.httpVersion === '1.1') throw hostFault('is required.');
  next();
};

function hostFault(text: string): Failure {
  return new Failure({ status: 400, code: 'malformed', errors: { host: [text] }, headers: { Connection: 'close' } });
}

/** Rejects a path or query whose percent-encoding is not that of UTF-8. Otherwise a filter would compare with other text than the client meant. */
export const requireEncoding: RequestHandler = ({ originalUrl }, _response, next) => {
  const start = originalUrl.indexOf('?');
  const [path, query] = start < 0 ? [originalUrl, ''] : [originalUrl.slice(0, start), originalUrl.slice(start + 1)];
  if (!isEncoded(path)) throw malformed('path');
  if (!isEncoded(query)) throw malformed('query');
  next();
};

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function malformed(part: 'path' | 'query'): Failure {
  const text = `has a percent sign that does not begin the encoding of a character in UTF-8. Write a percent sign as %25.`;
  return new Failure({ status: 400, code: 'malformed', errors: { [part]: [text] } });
}
