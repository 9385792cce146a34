/**
 * Leader election by a Kubernetes Lease.
 *
 * A process is in one of three states:
 * - Candidate: it reads the Lease again and again. It takes the Lease if it has no holder, or if the Lease has not changed for its
 *   duration. This process measures that time on its own monotonic clock; it never compares times of different machines.
 * - Leader: it renews the Lease. It loses leadership if it could not renew for `renewSeconds`, or if it reads the name of another
 *   holder. `renewSeconds` is shorter than the Lease, so a leader stops before another process may take over.
 * - Ended: it was stopped, or it lost leadership. A process never becomes leader twice.
 */
import type { V1Lease, V1OwnerReference } from '@kubernetes/client-node';
import type { Log } from '../../lib/log.ts';
import { ApiError, isConflict, unlessNotFound } from './client/apiErrors.ts';
import { type Clock, systemClock } from './client/clock.ts';
import type { CallOptions, ClusterConnection } from './client/connection.ts';

export interface ElectorOptions {
  /** Name of this process in the Lease: the name of its pod. */
  readonly identity: string;
  readonly leaseName: string;
  /**
   * A ConfigMap of the release, in the same namespace. It becomes the owner of a new Lease, so that Kubernetes deletes the Lease with the
   * release.
   */
  readonly leaseOwner?: string | undefined;
  readonly leaseSeconds?: number;
  /** Must be less than `leaseSeconds`. */
  readonly renewSeconds?: number;
  readonly retrySeconds?: number;
  readonly onElected: () => void;
  /** Called at most once, after `onElected`. The process must write nothing more and exit. */
  readonly onLost: (reason: string) => void;
}

export interface ElectorConnection {
  readonly connection: Pick<ClusterConnection, 'apis' | 'options' | 'microTime'>;
  readonly namespace: string;
  readonly log: Log;
  readonly clock?: Clock;
}

const CALL_MS = 5_000;
/** The Lease matters more than its owner. */
const OWNER_CALL_MS = 2_000;

const DEFAULTS = { leaseSeconds: 15, renewSeconds: 10, retrySeconds: 2 };

export class Elector {
  readonly #connection: ElectorConnection['connection'];
  readonly #namespace: string;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #options: ElectorOptions & typeof DEFAULTS;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  /** The Lease as it was last read, and when this version of it was first read. */
  #observed: { readonly lease: V1Lease; readonly since: number } | undefined;
  /** When the request of the last successful renewal was sent. */
  #renewedAt: number | undefined;

  constructor({ connection, namespace, log, clock = systemClock }: ElectorConnection, options: ElectorOptions) {
    this.#connection = connection;
    this.#namespace = namespace;
    this.#log = log;
    this.#clock = clock;
    this.#options = { ...DEFAULTS, ...options };
    this.#running = this.#run();
  }

  /** Releases the Lease, so that the next leader need not wait. Call it when this process writes nothing more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    if (this.#renewedAt === undefined) return;
    await this.#release().catch((error: unknown) => this.#warn(error, 'the Lease could not be released'));
  }

  async #run(): Promise<void> {
    const { identity, leaseName: lease, onElected, onLost } = this.#options;
    await this.#acquire();
    if (this.#isStopping) return;
    this.#log.info({ lease, identity }, 'became leader');
    onElected();
    const reason = await this.#holdUntilLost();
    if (reason === undefined) return;
    this.#renewedAt = undefined;
    this.#log.warn({ lease, identity, reason }, 'lost leadership, exiting');
    onLost(reason);
  }

  async #acquire(): Promise<void> {
    while (!this.#isStopping) {
      try {
        const lease = await this.#read(this.#callOptions());
        if (lease === undefined || this.#isFree(lease)) return await this.#write(lease);
      } catch (error) {
        // A conflict means that another candidate was faster.
        if (!isConflict(error) && !this.#isStopping) this.#warn(error, 'the Lease could not be acquired; retrying');
      }
      await this.#pause();
    }
  }

  /** @returns why leadership was lost; undefined if this process was stopped. */
  async #holdUntilLost(): Promise<string | undefined> {
    for (;;) {
      await this.#pause();
      if (this.#isStopping) return undefined;
      const reason = this.#lossReason();
      if (reason !== undefined) return reason;
      await this.#renew();
    }
  }

  #lossReason(): string | undefined {
    const { identity, renewSeconds } = this.#options;
    // Checked before each renewal, because this process may have been paused for longer than the Lease.
    if (this.#msUntilLoss <= 0) return `The Lease could not be renewed for ${renewSeconds} s.`;
    const holder = this.#observed?.lease.spec?.holderIdentity ?? identity;
    if (holder === identity) return undefined;
    return holder === '' ? 'The Lease was released by another process.' : `${holder} holds the Lease.`;
  }

  async #renew(): Promise<void> {
    try {
      await this.#write(this.#observed?.lease);
    } catch (error) {
      if (this.#isStopping) return;
      this.#warn(error, 'the Lease could not be renewed; retrying');
      // The Lease was deleted, another process holds it, or our write succeeded and its answer was lost.
      if (error instanceof ApiError) await this.#read(this.#callOptions()).catch(() => undefined);
    }
  }

  async #read(options: CallOptions): Promise<V1Lease | undefined> {
    const name = { name: this.#options.leaseName, namespace: this.#namespace };
    const { apis, options: limits } = this.#connection;
    const lease = await unlessNotFound(apis.coordination.readNamespacedLease(name, limits(options)));
    if (lease === undefined) this.#observed = undefined;
    else this.#observe(lease);
    return lease;
  }

  /** Creates or updates the Lease, with this process as its holder. */
  async #write(lease: V1Lease | undefined): Promise<void> {
    const sentAt = this.#clock.now();
    const claimed = this.#claim(lease);
    this.#observe(await (lease === undefined ? this.#create(claimed) : this.#replace(claimed, this.#callOptions())));
    this.#renewedAt = sentAt;
  }

  async #release(): Promise<void> {
    // Read again, because a renewal that was stopped may have changed the Lease.
    const options = { deadlineMs: CALL_MS };
    const lease = await this.#read(options);
    if (lease?.spec?.holderIdentity !== this.#options.identity) return;
    const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 };
    await this.#replace({ ...lease, spec }, options);
  }

  async #create(lease: V1Lease): Promise<V1Lease> {
    const { apis, options } = this.#connection;
    const body = { ...lease, metadata: { ...lease.metadata, ownerReferences: await this.#readOwner() } };
    return apis.coordination.createNamespacedLease({ namespace: this.#namespace, body }, options(this.#callOptions()));
  }

  /** Reads the uid of the owner. A failure never prevents leadership: the Lease then has no owner. */
  async #readOwner(): Promise<V1OwnerReference[]> {
    const { leaseOwner: name } = this.#options;
    if (name === undefined) return [];
    const { apis, options } = this.#connection;
    const { deadlineMs = OWNER_CALL_MS, signal } = this.#callOptions();
    try {
      const limits = options({ deadlineMs: Math.min(OWNER_CALL_MS, deadlineMs), signal });
      const { metadata } = await apis.core.readNamespacedConfigMap({ name, namespace: this.#namespace }, limits);
      return [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata?.uid ?? '' }];
    } catch (error) {
      if (!this.#isStopping) this.#warn(error, 'the Lease has no owner and may outlive its release');
      return [];
    }
  }

  #replace(body: V1Lease, call: CallOptions): Promise<V1Lease> {
    const { apis, options } = this.#connection;
    const lease = { name: this.#options.leaseName, namespace: this.#namespace, body };
    return apis.coordination.replaceNamespacedLease(lease, options(call));
  }

  #isFree({ spec }: V1Lease): boolean {
    const { identity, leaseSeconds } = this.#options;
    const holder = spec?.holderIdentity ?? '';
    if (holder === '' || holder === identity) return true;
    const seconds = spec?.leaseDurationSeconds ?? leaseSeconds;
    return this.#observed !== undefined && this.#clock.now() - this.#observed.since > seconds * 1000;
  }

  #claim(lease: V1Lease | undefined): V1Lease {
    const { identity, leaseName, leaseSeconds } = this.#options;
    const now = this.#connection.microTime();
    const isOurs = lease?.spec?.holderIdentity === identity;
    const transitions = lease?.spec?.leaseTransitions ?? 0;
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: lease?.metadata ?? { name: leaseName },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: leaseSeconds,
        acquireTime: (isOurs ? lease?.spec?.acquireTime : undefined) ?? now,
        renewTime: now,
        leaseTransitions: isOurs || lease === undefined ? transitions : transitions + 1,
      },
    };
  }

  #observe(lease: V1Lease): void {
    const isNew = lease.metadata?.resourceVersion !== this.#observed?.lease.metadata?.resourceVersion;
    if (isNew || this.#observed === undefined) this.#observed = { lease, since: this.#clock.now() };
  }

  async #pause(): Promise<void> {
    // The random part spreads candidates that wait for the same Lease to expire.
    const ms = this.#options.retrySeconds * 1000 * (1 + 0.2 * this.#clock.random());
    const pause = Math.max(0, Math.min(ms, this.#msUntilLoss));
    await this.#clock.sleep(pause, this.#stopping.signal).catch(() => undefined);
  }

  /** A request of a leader must not take longer than its leadership. */
  #callOptions(): CallOptions {
    return { deadlineMs: Math.max(1, Math.min(CALL_MS, this.#msUntilLoss)), signal: this.#stopping.signal };
  }

  get #msUntilLoss(): number {
    if (this.#renewedAt === undefined) return CALL_MS;
    return this.#renewedAt + this.#options.renewSeconds * 1000 - this.#clock.now();
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  #warn(error: unknown, message: string): void {
    this.#log.warn({ lease: this.#options.leaseName, err: error }, message);
  }
}
