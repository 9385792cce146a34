import type { Readable, Writable } from 'node:stream';
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.d.ts';

type CdpCommands = ProtocolMapping.Commands;
type CdpEvents = ProtocolMapping.Events;

/** The browser answered a call with an error. */
export class CdpError extends Error {
  override readonly name = 'CdpError';
}

/** The browser did not answer a call in time. */
export class CdpTimeoutError extends Error {
  override readonly name = 'CdpTimeoutError';
}

/** The browser is gone: it crashed, or was killed or closed, before it answered. */
export class BrowserGoneError extends Error {
  override readonly name = 'BrowserGoneError';
}

export interface CdpSession {
  /** @throws CdpError, CdpTimeoutError (default 10 s), BrowserGoneError. */
  send<M extends keyof CdpCommands>(
    method: M,
    params?: CdpCommands[M]['paramsType'][0],
    timeoutMs?: number,
  ): Promise<CdpCommands[M]['returnType']>;
  /** @returns a function that removes the listener. */
  on<E extends keyof CdpEvents>(event: E, listener: (params: CdpEvents[E][0]) => void): () => void;
  /** Removes the session's listeners. Sends nothing to the browser. */
  release(): void;
}

export interface CdpConnection {
  /** The session of the browser itself. */
  readonly root: CdpSession;
  /** The session of a target that was attached with `flatten`. */
  session(sessionId: string): CdpSession;
  /** True once the browser is gone. */
  readonly ended: boolean;
  /** Rejects all open calls; later calls throw. */
  end(reason: string): void;
}

interface Pending {
  readonly method: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
  readonly sessionId?: string;
}

type Listeners = Map<string, Set<(params: unknown) => void>>;

const DEFAULT_TIMEOUT_MS = 10_000;

/** Speaks the DevTools protocol over the two ends of `--remote-debugging-pipe`: JSON messages, each ended by a NUL. */
export function connectCdp(input: Writable, output: Readable): CdpConnection {
  const pipe = new CdpPipe(input);
  readMessages(output, (message) => pipe.receive(message));
  output.once('close', () => pipe.end('The browser is gone'));
  for (const stream of [input, output])
    stream.on('error', (error) => pipe.end(`The browser is gone: ${error.message}`));
  return pipe;
}

class CdpPipe implements CdpConnection {
  readonly root: CdpSession;
  readonly #input: Writable;
  readonly #pending = new Map<number, Pending>();
  /** By session id. The browser itself has the empty id. */
  readonly #listeners = new Map<string, Listeners>();
  #lastId = 0;
  #ended: string | undefined;

  constructor(input: Writable) {
    this.#input = input;
    this.root = this.session('');
  }

  get ended(): boolean {
    return this.#ended !== undefined;
  }

  session(sessionId: string): CdpSession {
    return {
      send: async (method, params, timeoutMs = DEFAULT_TIMEOUT_MS) => {
        const result = await this.#call(sessionId, method, { params, timeoutMs });
        return result as CdpCommands[typeof method]['returnType'];
      },
      on: (event, listener) => {
        const heard = (params: unknown) => listener(params as CdpEvents[typeof event][0]);
        const events: Listeners = this.#listeners.get(sessionId) ?? new Map();
        this.#listeners.set(sessionId, events);
        const set = events.get(event) ?? new Set();
        events.set(event, set.add(heard));
        return () => set.delete(heard);
      },
      release: () => void this.#listeners.delete(sessionId),
    };
  }

  end(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    for (const { method, reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new BrowserGoneError(`${reason} (open call: ${method})`));
    }
    this.#pending.clear();
    this.#listeners.clear();
  }

  receive(message: Message): void {
    if (message.id === undefined) {
      const heard = this.#listeners.get(message.sessionId ?? '')?.get(message.method ?? '');
      for (const listener of heard ?? []) listener(message.params);
      return;
    }
    const call = this.#pending.get(message.id);
    if (call === undefined) return;
    this.#pending.delete(message.id);
    clearTimeout(call.timer);
    if (message.error) call.reject(new CdpError(`${call.method}: ${message.error.message}`));
    else call.resolve(message.result);
  }

  #call(sessionId: string, method: string, { params, timeoutMs }: { params: unknown; timeoutMs: number }) {
    return new Promise<unknown>((resolve, reject) => {
      if (this.#ended !== undefined) return reject(new BrowserGoneError(`${this.#ended} (call: ${method})`));
      this.#lastId += 1;
      const id = this.#lastId;
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new CdpTimeoutError(`The browser did not answer ${method} within ${timeoutMs} ms`));
      }, timeoutMs);
      this.#pending.set(id, { method, resolve, reject, timer });
      this.#input.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    });
  }
}

/** Splits the stream at each NUL. One message may arrive in several chunks. */
function readMessages(output: Readable, receive: (message: Message) => void): void {
  let pieces: Buffer[] = [];
  output.on('data', (chunk: Buffer) => {
    let rest = chunk;
    for (let cut = rest.indexOf(0); cut >= 0; cut = rest.indexOf(0)) {
      pieces.push(rest.subarray(0, cut));
      rest = rest.subarray(cut + 1);
      receive(JSON.parse(Buffer.concat(pieces).toString('utf8')) as Message);
      pieces = [];
    }
    if (rest.length > 0) pieces.push(rest);
  });
}

/** A page cannot be rendered. Only the kind `stuck` may succeed with another clock. */
export class RenderingBlockedError extends Error {
  override readonly name = 'RenderingBlockedError';
  readonly kind: 'endless_script' | 'stuck' | 'no_picture';

  constructor(kind: RenderingBlockedError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}
