import type { Readable, Writable } from 'node:stream';
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.d.ts';

type Commands = ProtocolMapping.Commands;
type Events = ProtocolMapping.Events;

/** The browser answered a call with an error. */
export class CdpError extends Error {
  override readonly name = 'CdpError';
}

/** The browser did not answer a call in time. */
export class CdpTimeoutError extends Error {
  override readonly name = 'CdpTimeoutError';
}

/** The browser has gone: it crashed, was killed, or was closed while a call was open. */
export class BrowserGoneError extends Error {
  override readonly name = 'BrowserGoneError';
}

export interface CdpSession {
  /** @throws CdpError, CdpTimeoutError (default 10 s), BrowserGoneError. */
  send<M extends keyof Commands>(
    method: M,
    params?: Commands[M]['paramsType'][0],
    timeoutMs?: number,
  ): Promise<Commands[M]['returnType']>;
  /** @returns a function that removes the listener. */
  on<E extends keyof Events>(event: E, listener: (params: Events[E][0]) => void): () => void;
  /** Forgets the session's listeners; the browser is not told. */
  release(): void;
}

export interface CdpConnection {
  /** The browser itself. */
  readonly root: CdpSession;
  /** A target that was attached with `flatten`. */
  session(sessionId: string): CdpSession;
  /** True once the browser has gone. */
  readonly ended: boolean;
  /** Rejects everything that is open; later calls throw. */
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
  const pending = new Map<number, Pending>();
  const listeners = new Map<string, Listeners>();
  let lastId = 0;
  let ended: string | undefined;

  function end(reason: string): void {
    if (ended !== undefined) return;
    ended = reason;
    for (const { method, reject, timer } of pending.values()) {
      clearTimeout(timer);
      reject(new BrowserGoneError(`${reason} (${method} was open)`));
    }
    pending.clear();
    listeners.clear();
  }

  function receive(message: Message): void {
    if (message.id === undefined) {
      const heard = listeners.get(message.sessionId ?? '')?.get(message.method ?? '');
      for (const listener of heard ?? []) listener(message.params);
      return;
    }
    const call = pending.get(message.id);
    if (call === undefined) return;
    pending.delete(message.id);
    clearTimeout(call.timer);
    if (message.error) call.reject(new CdpError(`${call.method}: ${message.error.message}`));
    else call.resolve(message.result);
  }

  function call(sessionId: string, method: string, { params, timeoutMs }: { params: unknown; timeoutMs: number }) {
    return new Promise<unknown>((resolve, reject) => {
      if (ended !== undefined) return reject(new BrowserGoneError(`${ended} (${method} was asked for)`));
      const id = ++lastId;
      const timer = setTimeout(() => {
        pending.delete(id);
        reject(new CdpTimeoutError(`The browser did not answer ${method} within ${timeoutMs} ms`));
      }, timeoutMs);
      pending.set(id, { method, resolve, reject, timer });
      input.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    });
  }

  function sessionOf(sessionId: string): CdpSession {
    return {
      async send(method, params, timeoutMs = DEFAULT_TIMEOUT_MS) {
        return (await call(sessionId, method, { params, timeoutMs })) as Commands[typeof method]['returnType'];
      },
      on(event, listener) {
        const heard = (params: unknown) => listener(params as Events[typeof event][0]);
        const events: Listeners = listeners.get(sessionId) ?? new Map();
        listeners.set(sessionId, events);
        const set = events.get(event) ?? new Set();
        events.set(event, set.add(heard));
        return () => set.delete(heard);
      },
      release: () => void listeners.delete(sessionId),
    };
  }

  readMessages(output, receive);
  output.once('close', () => end('The browser has gone'));
  for (const stream of [input, output]) stream.on('error', (error) => end(`The browser has gone: ${error.message}`));
  return {
    root: sessionOf(''),
    session: sessionOf,
    get ended() {
      return ended !== undefined;
    },
    end,
  };
}

/** Cuts the stream at each NUL; a message may come in many pieces. */
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
