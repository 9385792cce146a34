import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorMessage } from '../lib/errorMessage.ts';
import type { LocalAnswer, LocalOrigins } from './ports.ts';

type LocalHandler = (path: string) => LocalAnswer | undefined;

/** Origins that this process serves. They have no IP address; only the proxy can reach them. */
export class LocalOriginTable implements LocalOrigins {
  readonly #handlers = new Map<string, LocalHandler>();

  serve(host: string, handler: LocalHandler): void {
    this.#handlers.set(host.toLowerCase(), handler);
  }

  remove(host: string): void {
    this.#handlers.delete(host.toLowerCase());
  }

  has(host: string): boolean {
    return this.#handlers.has(host.toLowerCase());
  }

  /** Answers a request to one of these hosts. */
  answer(target: URL, request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    const found = this.#find(target);
    const body = Buffer.from(found.body);
    response.writeHead(found.status ?? 200, {
      'content-type': found.type,
      'content-length': body.byteLength,
      ...found.headers,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  #find(target: URL): LocalAnswer {
    try {
      const answer = this.#handlers.get(target.hostname)?.(target.pathname + target.search);
      return answer ?? { status: 404, type: 'text/plain', body: 'Not found.\n' };
    } catch (error) {
      const reason = errorMessage(error);
      return { status: 500, type: 'text/plain', body: `The local origin failed: ${reason}\n` };
    }
  }
}
