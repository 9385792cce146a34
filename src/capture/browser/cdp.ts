import { setMaxListeners } from 'node:events';
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.d.ts';
import type { CDPSession } from 'playwright-core';
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

const DEFAULT_TIMEOUT_MS = 10_000;

/** A session of Playwright with a deadline for each call, and errors that callers can tell apart. */
export class CdpSession {
  readonly #session: CDPSession;
  readonly #whyGone: () => BrowserGoneError | undefined;
  readonly #over = new AbortController();

  constructor(session: CDPSession, whyGone: () => BrowserGoneError | undefined) {
    this.#session = session;
    this.#whyGone = whyGone;
    // Each open call listens to it.
    setMaxListeners(0, this.#over.signal);
  }

  /** @throws CdpError, TargetGoneError after `end`, CdpTimeoutError (default 10 s), BrowserGoneError. */
  async send<M extends keyof CdpCommands>(
    method: M,
    params?: CdpCommands[M]['paramsType'][0],
    timeoutMs = DEFAULT_TIMEOUT_MS,
  ): Promise<CdpCommands[M]['returnType']> {
    // Playwright's own types are of another version of the protocol.
    const send = this.#session.send as Send;
    try {
      return await send.call(this.#session, method, params, { timeout: timeoutMs, signal: this.#over.signal });
    } catch (error) {
      throw this.#errorOf(error, method, timeoutMs);
    }
  }

  /** @returns a function that removes the listener. */
  on<E extends keyof CdpEvents>(event: E, listener: (params: CdpEvents[E][0]) => void): () => void {
    const [session, heard] = [this.#session, listener as (params: unknown) => void];
    const on = session.on as Listen;
    on.call(session, event, heard);
    return () => void (session.off as Listen).call(session, event, heard);
  }

  /** Rejects open and later calls. Playwright leaves those to a crashed page without an answer. */
  end(reason: string): void {
    this.#over.abort(reason);
  }

  #errorOf(error: unknown, method: string, timeoutMs: number): Error {
    const message = error instanceof Error ? error.message : String(error);
    const gone = this.#whyGone();
    if (gone !== undefined) return new BrowserGoneError(`${gone.message} (open call: ${method})`);
    if (this.#over.signal.aborted) return new TargetGoneError(`${this.#over.signal.reason} (open call: ${method})`);
    if (error instanceof Error && error.name === 'TimeoutError')
      return new CdpTimeoutError(`The browser did not answer ${method} within ${secondsText(timeoutMs)}`);
    const [, answer] = /Protocol error \([^)]*\): (.*)/.exec(message) ?? [];
    if (/has been closed|session closed/.test(message))
      return new TargetGoneError(`The page was closed (call: ${method})`);
    return new CdpError(`${method}: ${answer ?? message}`);
  }
}

type Send = (method: string, params: unknown, options: { timeout: number; signal: AbortSignal }) => Promise<never>;
type Listen = (event: string, listener: (params: unknown) => void) => CDPSession;

/** A page cannot be rendered. Only the kind `stuck` may succeed with another clock. */
export class RenderingBlockedError extends Error {
  readonly kind: 'endless_script' | 'stuck' | 'no_picture';

  constructor(kind: RenderingBlockedError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}
