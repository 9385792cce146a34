import type { Readable, Writable } from 'node:stream';
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.d.ts';
import { secondsText } from '../../lib/secondsText.ts';

export type CdpCommands = ProtocolMapping.Commands;
type CdpEvents = ProtocolMapping.Events;

/** The browser answered a call with an error. */
export class CdpError extends Error {}

/** The target of a call crashed or was closed before it answered. */
export class TargetGoneError extends CdpError {}

/** The browser did not answer a call in time. */
export class CdpTimeoutError extends Error {}

/** The browser is gone: it crashed, or was killed or closed, before it answered. */
export class BrowserGoneError extends Error {}

export interface CdpSession {
  /** @throws CdpError, TargetGoneError after `end`, CdpTimeoutError (default 10 s), BrowserGoneError. */
  send<M extends keyof CdpCommands>(
    method: M,
    params?: CdpCommands[M]['paramsType'][0],
    timeoutMs?: number,
  ): Promise<CdpCommands[M]['returnType']>;
  /** @returns a function that removes the listener. */
  on<E extends keyof CdpEvents>(event: E, listener: (params: CdpEvents[E][0]) => void): () => void;
  /** Removes the session's listeners, and rejects its open and later calls. Sends nothing to the browser. */
  end(reason: string): void;
}

interface Pending {
  readonly sessionId: string;
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
export class CdpConnection {
  /** The session of the browser itself. */
  readonly root: CdpSession;
  readonly #input: Writable;
  readonly #pending = new Map<number, Pending>();
  /** By session id. The browser itself has the empty id. */
  readonly #listeners = new Map<string, Listeners>();
  #lastId = 0;
  #ended: string | undefined;

  constructor(input: Writable, output: Readable) {
    this.#input = input;
    this.root = this.session('');
    readMessages(output, (message) => this.#receive(message));
    output.once('close', () => this.end('The browser is gone'));
    for (const stream of [input, output])
      stream.on('error', (error) => this.end(`The browser is gone: ${error.message}`));
  }

  /** True once the browser is gone. */
  get ended(): boolean {
    return this.#ended !== undefined;
  }

  /** The session of a target that was attached with `flatten`. */
  session(sessionId: string): CdpSession {
    let over: string | undefined;
    return {
      send: async (method, params, timeoutMs = DEFAULT_TIMEOUT_MS) => {
        if (over !== undefined) throw new TargetGoneError(`${over} (call: ${method})`);
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
      end: (reason) => {
        over ??= reason;
        this.#listeners.delete(sessionId);
        this.#reject((call) => (call.sessionId === sessionId ? new TargetGoneError(reason) : undefined));
      },
    };
  }

  /** Rejects all open calls; later calls throw. */
  end(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    this.#reject(({ method }) => new BrowserGoneError(`${reason} (open call: ${method})`));
    this.#listeners.clear();
  }

  /** Rejects the open calls for which `errorOf` gives an error. */
  #reject(errorOf: (call: Pending) => Error | undefined): void {
    for (const [id, call] of this.#pending) {
      const error = errorOf(call);
      if (error === undefined) continue;
      this.#pending.delete(id);
      clearTimeout(call.timer);
      call.reject(error);
    }
  }

  #receive(message: Message): void {
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
        reject(new CdpTimeoutError(`The browser did not answer ${method} within ${secondsText(timeoutMs)}`));
      }, timeoutMs);
      this.#pending.set(id, { sessionId, method, resolve, reject, timer });
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
  readonly kind: 'endless_script' | 'stuck' | 'no_picture';

  constructor(kind: RenderingBlockedError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}
