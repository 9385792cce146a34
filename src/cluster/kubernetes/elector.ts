/**
 * One leader at a time, by a Lease. A candidate waits until it has seen no change of the Lease for as long as the Lease says, by its own
 * monotonic clock: what times the holder writes into it is never compared with ours. A leader that could not renew for `renewSeconds`
 * is none any more, and says so before anybody else can have become one.
 */
import type { Log } from '../../lib/log.ts';
import { ApiError, isConflict, isNotFound } from './client/apiError.ts';
import type { ApiServer, CallOptions } from './client/apiServer.ts';
import { type Clock, systemClock } from './client/clock.ts';

export interface ElectorOptions {
  /** Of this process: its pod's name. */
  readonly identity: string;
  readonly leaseName: string;
  readonly leaseSeconds?: number;
  /** Shorter than the lease: after so long without a renewal it is given up. */
  readonly renewSeconds?: number;
  readonly retrySeconds?: number;
  readonly onElected: () => void;
  /** At most once, after `onElected`: the process is to end, without anything orderly. */
  readonly onLost: (reason: string) => void;
}

export interface ElectorConnection {
  readonly api: ApiServer;
  readonly namespace: string;
  readonly log: Log;
  readonly clock?: Clock;
}

export interface Elector {
  /** Gives the Lease back, so that another one need not wait for its end. What rests on leading is over by then. */
  stop(): Promise<void>;
}

interface Lease {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly spec?: {
    readonly holderIdentity?: string | null;
    readonly leaseDurationSeconds?: number | null;
    readonly acquireTime?: string | null;
    readonly renewTime?: string | null;
    readonly leaseTransitions?: number | null;
  };
}

const CALL_MS = 5_000;

export function startElector(connection: ElectorConnection, options: ElectorOptions): Elector {
  return new LeaseElector(connection, options);
}

const DEFAULTS = { leaseSeconds: 15, renewSeconds: 10, retrySeconds: 2 };

class LeaseElector implements Elector {
  readonly #connection: ElectorConnection & { readonly clock: Clock };
  readonly #options: ElectorOptions & typeof DEFAULTS;
  readonly #collection: string;
  readonly #path: string;
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  /** The Lease as it was last seen, and since when it is so. */
  #seen: { lease: Lease; at: number } | undefined;
  /** When the last renewal that succeeded was asked for. */
  #renewedAt: number | undefined;

  constructor(connection: ElectorConnection, options: ElectorOptions) {
    this.#connection = { clock: systemClock, ...connection };
    this.#options = { ...DEFAULTS, ...options };
    this.#collection = `/apis/coordination.k8s.io/v1/namespaces/${connection.namespace}/leases`;
    this.#path = `${this.#collection}/${options.leaseName}`;
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
    if (this.#renewedAt === undefined) return;
    await this.#giveBack().catch((error: unknown) => this.#warn(error, 'the Lease was not given back'));
  }

  async #run(): Promise<void> {
    const { identity, leaseName: lease, onElected, onLost } = this.#options;
    await this.#compete();
    if (this.#isEnding) return;
    this.#connection.log.info({ lease, identity }, 'leads');
    onElected();
    const reason = await this.#lead();
    if (reason === undefined) return;
    this.#renewedAt = undefined;
    this.#connection.log.warn({ lease, identity, reason }, 'leads no more');
    onLost(reason);
  }

  async #compete(): Promise<void> {
    while (!this.#isEnding) {
      try {
        const lease = await this.#look(this.#limits());
        if (lease === undefined || this.#isFree(lease)) return await this.#write(lease);
      } catch (error) {
        const isExpected = isConflict(error) || this.#isEnding;
        if (!isExpected) this.#warn(error, 'the Lease could not be had');
      }
      await this.#pause();
    }
  }

  /** @returns why it is lost; undefined: it was ended. */
  async #lead(): Promise<string | undefined> {
    const { identity, renewSeconds } = this.#options;
    for (;;) {
      await this.#pause();
      if (this.#isEnding) return undefined;
      // Asked before renewing: this process may have been paused for longer than others waited.
      if (this.#leftMs <= 0) return `It could not be renewed for ${renewSeconds} s.`;
      const holder = this.#seen?.lease.spec?.holderIdentity ?? identity;
      if (holder !== identity) return holder === '' ? 'It was taken away.' : `${holder} holds it.`;
      await this.#renew();
    }
  }

  async #renew(): Promise<void> {
    try {
      await this.#write(this.#seen?.lease);
    } catch (error) {
      if (this.#isEnding) return;
      this.#warn(error, 'the Lease was not renewed');
      // Somebody else's by now, deleted, or ours by a write whose answer was lost.
      if (error instanceof ApiError) await this.#look(this.#limits()).catch(() => undefined);
    }
  }

  async #look(limits: CallOptions): Promise<Lease | undefined> {
    try {
      const lease = (await this.#connection.api.call({ verb: 'get', path: this.#path }, limits)) as Lease;
      this.#note(lease);
      return lease;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#seen = undefined;
      return undefined;
    }
  }

  async #write(lease: Lease | undefined): Promise<void> {
    const { api, clock } = this.#connection;
    const begun = clock.now();
    const at =
      lease === undefined
        ? ({ verb: 'create', path: this.#collection } as const)
        : ({ verb: 'update', path: this.#path } as const);
    this.#note((await api.call({ ...at, body: this.#claim(lease) }, this.#limits())) as Lease);
    this.#renewedAt = begun;
  }

  async #giveBack(): Promise<void> {
    // What was under way when it was ended may have changed it.
    const lease = await this.#look({ deadlineMs: CALL_MS });
    if (lease?.spec?.holderIdentity !== this.#options.identity) return;
    const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 };
    const body = { ...lease, spec };
    await this.#connection.api.call({ verb: 'update', path: this.#path, body }, { deadlineMs: CALL_MS });
  }

  #isFree({ spec }: Lease): boolean {
    const { identity, leaseSeconds } = this.#options;
    const holder = spec?.holderIdentity ?? '';
    if (holder === '' || holder === identity) return true;
    const seconds = spec?.leaseDurationSeconds ?? leaseSeconds;
    return this.#seen !== undefined && this.#connection.clock.now() - this.#seen.at > seconds * 1000;
  }

  #claim(lease: Lease | undefined): object {
    const { identity, leaseName, leaseSeconds } = this.#options;
    // Leases have microseconds.
    const now = new Date().toISOString().replace('Z', '000Z');
    const isOurs = lease?.spec?.holderIdentity === identity;
    const transitions = lease?.spec?.leaseTransitions ?? 0;
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: lease?.metadata ?? { name: leaseName, namespace: this.#connection.namespace },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: leaseSeconds,
        acquireTime: (isOurs ? lease?.spec?.acquireTime : undefined) ?? now,
        renewTime: now,
        leaseTransitions: isOurs || lease === undefined ? transitions : transitions + 1,
      },
    };
  }

  #note(lease: Lease): void {
    const isNews = lease.metadata.resourceVersion !== this.#seen?.lease.metadata.resourceVersion;
    if (isNews || this.#seen === undefined) this.#seen = { lease, at: this.#connection.clock.now() };
  }

  async #pause(): Promise<void> {
    const { clock } = this.#connection;
    // Candidates that wait for the same end do not all come at once.
    const ms = this.#options.retrySeconds * 1000 * (1 + 0.2 * clock.random());
    await clock.sleep(Math.max(0, Math.min(ms, this.#leftMs)), this.#ending.signal).catch(() => undefined);
  }

  #limits(): CallOptions {
    return { deadlineMs: Math.max(1, Math.min(CALL_MS, this.#leftMs)), signal: this.#ending.signal };
  }

  /** Until a leader gives it up. */
  get #leftMs(): number {
    if (this.#renewedAt === undefined) return CALL_MS;
    return this.#renewedAt + this.#options.renewSeconds * 1000 - this.#connection.clock.now();
  }

  get #isEnding(): boolean {
    return this.#ending.signal.aborted;
  }

  #warn(error: unknown, message: string): void {
    this.#connection.log.warn({ lease: this.#options.leaseName, err: error }, message);
  }
}
