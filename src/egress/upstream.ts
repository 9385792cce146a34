/** Connections through the proxy of one location. The guard of this process checks each target before. */
import type { Socket } from 'node:net';
import type { ConnectionOutcome } from '../domain/locations.ts';
import { errorMessage } from '../lib/errorMessage.ts';
import type { Log } from '../lib/log.ts';
import { backOffMs } from '../lib/repeat.ts';
import { sleep } from '../lib/sleep.ts';
import { parseHost } from './addresses.ts';
import { ConnectionFailedError, LocationUnavailableError, NetworkTimeoutError } from './errors.ts';
import type { ConnectOptions, Connector, Guard } from './guard.ts';
import { CredentialsRejectedError, type DialTarget, dialThrough, type UpstreamProxy } from './upstreamDial.ts';

export interface UpstreamTiming {
  /** The deadline of one try. */
  readonly tryMs: number;
  /** The deadline of all tries together. */
  readonly allMs: number;
  readonly firstDelayMs: number;
  /** How long the breaker stays open. */
  readonly openMs: number;
}

export interface UpstreamOptions {
  /** The id of the location. */
  readonly location: string;
  readonly proxy: UpstreamProxy;
  readonly guard: Pick<Guard, 'resolve'>;
  readonly observe?: ((outcome: ConnectionOutcome) => void) | undefined;
  readonly log?: Pick<Log, 'info' | 'warn'> | undefined;
  readonly timing?: Partial<UpstreamTiming> | undefined;
}

interface Try {
  readonly startedAt: number;
  /** The proxy accepted the connection. */
  readonly isConnected: boolean;
}

const TIMING: UpstreamTiming = { tryMs: 8_000, allMs: 20_000, firstDelayMs: 250, openMs: 30_000 };
const TRIES = 3;
/** The breaker opens after this many consecutive connections that failed because of the proxy. */
const FAILURES_TO_OPEN = 5;
const REPORT_EVERY_MS = 60_000;

/** The proxy accepted the connection and did not answer. It may hang, or wait for a host that drops packets. */
class SilentProxyError extends LocationUnavailableError {}

/**
 * Names are resolved here, and the connection is refused unless all addresses are public. Then the proxy gets the name, so that the site's
 * DNS sees the country of the proxy.
 */
export class Upstream implements Connector {
  readonly #options: UpstreamOptions;
  readonly #timing: UpstreamTiming;
  #failures = 0;
  #openUntil = Number.NEGATIVE_INFINITY;
  /** When the proxy answered last. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  /** Whether the current failure was logged. */
  #isReported = false;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
  }

  /** False while the breaker is open. */
  get isAvailable(): boolean {
    return performance.now() >= this.#openUntil;
  }

  async connect(host: string, port: number, { signal }: ConnectOptions = {}): Promise<Socket> {
    const { guard, observe } = this.#options;
    const target = await this.#checked(guard, host, port);
    try {
      if (!this.isAvailable)
        throw new LocationUnavailableError(
          'its proxy failed repeatedly, so Tearsheet does not use it for up to 30 seconds',
        );
      const socket = await this.#dial(target, signal);
      this.#succeeded();
      observe?.('connected');
      return socket;
    } catch (error) {
      if (signal?.aborted) throw error;
      if (!(error instanceof LocationUnavailableError)) {
        // A timeout does not show whether the proxy works.
        if (error instanceof ConnectionFailedError) this.#succeeded();
        observe?.('target_failed');
        throw error;
      }
      // Five hosts that drop packets must not pause the location for all organizations.
      if (!(error instanceof SilentProxyError)) this.#failed(error);
      observe?.('unavailable');
      const { location } = this.#options;
      throw new LocationUnavailableError(`Location ${location}: ${error.message}.`, { cause: error });
    }
  }

  /** @returns the host as the guard read it, because the proxy might read another spelling in another way. */
  async #checked(guard: Pick<Guard, 'resolve'>, text: string, port: number): Promise<DialTarget> {
    try {
      await guard.resolve(text, port);
    } catch (error) {
      this.#options.observe?.('refused');
      throw error;
    }
    const host = parseHost(text);
    if (host === undefined) throw new Error('unreachable: the guard allowed an invalid host');
    return { host: host.kind === 'address' ? host.address : host.name, port };
  }

  async #dial(target: DialTarget, signal: AbortSignal | undefined): Promise<Socket> {
    const { tryMs, allMs, firstDelayMs } = this.#timing;
    const all = AbortSignal.any([AbortSignal.timeout(allMs), ...(signal ? [signal] : [])]);
    for (let tries = 1; ; tries += 1) {
      const startedAt = performance.now();
      let isConnected = false;
      const onConnected = () => {
        isConnected = true;
      };
      try {
        const trying = { signal: AbortSignal.any([all, AbortSignal.timeout(tryMs)]), onConnected };
        return await dialThrough(this.#options.proxy, target, trying);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof ConnectionFailedError || error instanceof CredentialsRejectedError) throw error;
        const failure = this.#typed(error, target, { startedAt, isConnected });
        if (failure instanceof NetworkTimeoutError || tries === TRIES || all.aborted) throw failure;
        await sleep(backOffMs(tries, { firstMs: firstDelayMs, maxMs: allMs }), signal);
      }
    }
  }

  /** A proxy that waits for its target and one that hangs look alike. It hangs if it answered no other request in the meantime. */
  #typed(error: unknown, { host, port }: DialTarget, { startedAt, isConnected }: Try): Error {
    if (error instanceof LocationUnavailableError) return error;
    if (!(error instanceof Error) || error.name !== 'TimeoutError')
      return new LocationUnavailableError(errorMessage(error), { cause: error });
    if (this.#answeredAt >= startedAt)
      return new NetworkTimeoutError(`The connection to ${host}:${port} was not established in time.`);
    const Silent = isConnected ? SilentProxyError : LocationUnavailableError;
    return new Silent('its proxy did not answer in time', { cause: error });
  }

  #succeeded(): void {
    this.#failures = 0;
    this.#openUntil = Number.NEGATIVE_INFINITY;
    this.#answeredAt = performance.now();
    if (this.#isReported) this.#options.log?.warn({ location: this.#options.location }, 'a location recovered');
    this.#isReported = false;
  }

  /** One warning for each outage, and for single failures at most one a minute: some proxies answer for a dead target as if they failed. */
  #report(reason: string, isPaused: boolean): void {
    const now = performance.now();
    if (this.#isReported || (!isPaused && now - this.#reportedAt < REPORT_EVERY_MS)) return;
    this.#isReported = true;
    this.#reportedAt = now;
    const { log, location } = this.#options;
    log?.warn({ location, reason }, 'the proxy of a location failed; captures will retry');
  }

  #failed({ message }: Error): void {
    if (!this.isAvailable) return;
    this.#failures += 1;
    const { log, location } = this.#options;
    const isPaused = this.#failures >= FAILURES_TO_OPEN;
    this.#report(message, isPaused);
    if (!isPaused) return;
    this.#openUntil = performance.now() + this.#timing.openMs;
    log?.info({ location }, 'the proxy of a location failed repeatedly; its connections are paused');
  }
}
