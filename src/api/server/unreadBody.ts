/**
 * Closes a connection after an answer that does not need the body of the request. Node would otherwise read and drop the whole body, for
 * example 100 MB after a 401, to keep the connection.
 */
import type { Socket } from 'node:net';
import type { Request, RequestHandler } from 'express';

/** Node reads and drops a body up to this size, because a new connection costs more. */
const SMALL_BYTES = 64 * 1024;
/** A client that is still sending would lose the answer if the connection ended at once. */
const LINGER = { ms: 1_000, bytes: 1024 * 1024, everyMs: 10 };

const closing = new WeakSet<Socket>();

/** Mount it first. A request whose handler reads the whole body keeps its connection. */
export const closeAfterUnreadBody: RequestHandler = (request, response, next) => {
  const { socket } = request;
  // The client may have sent another request on the connection that is about to close.
  if (closing.has(socket)) return;
  if (!hasLargeBody(request)) {
    next();
    return;
  }
  const { shouldKeepAlive } = response;
  const { destroySoon } = socket;
  response.shouldKeepAlive = false;
  socket.destroySoon = () => linger(socket);
  request.once('end', () => {
    response.shouldKeepAlive = shouldKeepAlive;
    socket.destroySoon = destroySoon;
  });
  next();
};

function hasLargeBody(request: Request): boolean {
  return request.get('transfer-encoding') !== undefined || Number(request.get('content-length') ?? 0) > SMALL_BYTES;
}

/** Sends what is left of the answer, and drops what arrives for a moment. */
function linger(socket: Socket): void {
  closing.add(socket);
  const mostBytes = socket.bytesRead + LINGER.bytes;
  const watch = setInterval(() => {
    if (socket.bytesRead > mostBytes) socket.destroy();
  }, LINGER.everyMs);
  const deadline = setTimeout(() => socket.destroy(), LINGER.ms);
  socket.once('close', () => {
    clearInterval(watch);
    clearTimeout(deadline);
  });
  socket.end();
}
