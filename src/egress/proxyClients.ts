import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const CLOSE_AFTER_MS = 5_000;

/** Answers connections of clients whose bytes Node cannot read as a request. */
export class BrokenClients {
  readonly #latest = new WeakMap<Socket, { request: IncomingMessage; response: ServerResponse }>();

  /** Records the latest request of a connection. */
  note(request: IncomingMessage, response: ServerResponse): void {
    this.#latest.set(request.socket, { request, response });
  }

  /** Rejects the bytes. If they follow a complete request, that one gets its own answer first. */
  reject(socket: Socket): void {
    const { request, response } = this.#latest.get(socket) ?? {};
    const isWaiting = response !== undefined && !response.writableFinished;
    if (isWaiting && request?.complete) response.once('close', () => end(socket));
    else if (isWaiting && response.headersSent) socket.destroy();
    else end(socket, 'HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
  }
}

function end(socket: Socket, answer = ''): void {
  if (socket.writable) socket.end(answer);
  socket.setTimeout(CLOSE_AFTER_MS, () => socket.destroy());
}
