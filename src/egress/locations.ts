/** The locations that the operator configured, each with the connector to its proxy. */
import type { ConfiguredLocation, Location } from '../contract/locations.ts';
import type { ConnectionOutcome } from '../domain/locations.ts';
import type { Log } from '../lib/log.ts';
import type { Connector, Guard } from './guard.ts';
import { Upstream, type UpstreamTiming } from './upstream.ts';
import type { Credentials, UpstreamProxy } from './upstreamDial.ts';

export interface LocationsOptions {
  readonly locations: readonly ConfiguredLocation[];
  /** By the ids of locations. */
  readonly credentials: Readonly<Record<string, Credentials>>;
  /** Checks the targets that captures request from the proxies. */
  readonly guard: Pick<Guard, 'resolve'>;
  readonly log?: Pick<Log, 'info' | 'warn'>;
  readonly observe?: (location: string, outcome: ConnectionOutcome) => void;
  readonly timing?: Partial<UpstreamTiming>;
}

export class Locations {
  readonly #all = new Map<string, { readonly location: Location; readonly upstream: Upstream }>();

  constructor({ locations, credentials, guard, log, observe, timing }: LocationsOptions) {
    for (const { proxy: url, ...location } of locations) {
      const { id } = location;
      const proxy: UpstreamProxy = { url, credentials: credentials[id] };
      const count = observe && ((outcome: ConnectionOutcome) => observe(id, outcome));
      this.#all.set(id, {
        location,
        upstream: new Upstream({ location: id, proxy, guard, observe: count, log, timing }),
      });
    }
  }

  get ids(): readonly string[] {
    return [...this.#all.keys()];
  }

  /** In the order of the setting. */
  get all(): readonly Location[] {
    return [...this.#all.values()].map(({ location }) => location);
  }

  find(id: string): Location | undefined {
    return this.#all.get(id)?.location;
  }

  /** False while connections through its proxy are paused because they failed. Each process knows only its own connections. */
  isAvailable(id: string): boolean {
    return this.#all.get(id)?.upstream.isAvailable ?? false;
  }

  connector(id: string): Connector | undefined {
    return this.#all.get(id)?.upstream;
  }
}
