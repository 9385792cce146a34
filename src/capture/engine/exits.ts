/** The ways out to locations: for each one an egress proxy of its own, which starts when a page first needs it. */
import { isIP } from 'node:net';
import type { Location } from '../../contract/locations.ts';
import { createGuardedFetch } from '../../egress/fetch.ts';
import type { Connector } from '../../egress/guard.ts';
import type { GuardedFetch } from '../../egress/ports.ts';
import { type EgressProxy, startEgressProxy } from '../../egress/proxy.ts';
import { shortErrorMessage } from '../../lib/errorMessage.ts';
import type { Log } from '../../lib/log.ts';

export interface Exit {
  readonly proxy: EgressProxy;
  readonly fetch: GuardedFetch;
}

const CHECK_MS = 10_000;
const CHECK_BYTES = 1_024;

export class Exits {
  readonly #connectorOf: (location: string) => Connector;
  readonly #log: Log;
  readonly #started = new Map<string, Promise<Exit>>();

  constructor(connectorOf: (location: string) => Connector, log: Log) {
    this.#connectorOf = connectorOf;
    this.#log = log;
  }

  /** @throws Error if no port is free. */
  get(location: string): Promise<Exit> {
    const started = this.#started.get(location) ?? this.#start(location);
    this.#started.set(location, started);
    return started;
  }

  async #start(location: string): Promise<Exit> {
    const guard = this.#connectorOf(location);
    const proxy = await startEgressProxy({ guard, log: this.#log });
    return { proxy, fetch: createGuardedFetch({ guard, timeoutMs: CHECK_MS, maxBytes: CHECK_BYTES }) };
  }

  /** @returns the IP address that the check address of the location sees; null if it has none or did not answer with one. Never throws. */
  async addressOf({ fetch }: Exit, { id, check_url }: Location): Promise<string | null> {
    if (check_url === null) return null;
    try {
      const { status, body } = await fetch(check_url);
      const text = body.toString('utf8').trim();
      if (status === 200 && isIP(text) !== 0) return text;
      this.#log.warn({ location: id, status }, 'the check address of a location did not answer with an IP address');
    } catch (error) {
      this.#log.warn({ location: id, error: shortErrorMessage(error) }, 'the check address of a location failed');
    }
    return null;
  }

  async close(): Promise<void> {
    const exits = await Promise.allSettled(this.#started.values());
    await Promise.all(exits.flatMap((exit) => (exit.status === 'fulfilled' ? [exit.value.proxy.close()] : [])));
  }
}
