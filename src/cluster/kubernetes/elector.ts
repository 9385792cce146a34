/**
 * One leader at a time, by a Lease. A candidate waits until it has seen no change of the Lease for as long as the Lease says, by its own
 * monotonic clock: what times the holder writes into it is never compared with ours. A leader that could not renew for `renewSeconds`
 * is none any more, and says so before anybody else can have become one.
 */
import { ApiError, isConflict, isNotFound } from './apiError.ts';
import type { ApiServer, CallOptions } from './apiServer.ts';
import { type Clock, systemClock } from './clock.ts';

interface ElectorLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

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
  readonly log: ElectorLog;
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
  const { api, namespace, log, clock = systemClock } = connection;
  const { identity, leaseName, leaseSeconds = 15, renewSeconds = 10, retrySeconds = 2 } = options;
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const path = `${collection}/${leaseName}`;
  const ending = new AbortController();
  /** The Lease as it was last seen, and since when it is so. */
  let seen: { lease: Lease; at: number } | undefined;
  /** When the last renewal that succeeded was asked for. */
  let renewedAt: number | undefined;

  /** Until a leader gives it up. */
  const leftMs = () => (renewedAt === undefined ? CALL_MS : renewedAt + renewSeconds * 1000 - clock.now());
  const ask = () => ({ deadlineMs: Math.max(1, Math.min(CALL_MS, leftMs())), signal: ending.signal });

  function note(lease: Lease): void {
    const isNews = lease.metadata.resourceVersion !== seen?.lease.metadata.resourceVersion;
    if (isNews || seen === undefined) seen = { lease, at: clock.now() };
  }

  async function look(call: CallOptions): Promise<Lease | undefined> {
    try {
      const lease = (await api.call({ verb: 'get', path }, call)) as Lease;
      note(lease);
      return lease;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      seen = undefined;
      return undefined;
    }
  }

  async function write(lease: Lease | undefined): Promise<void> {
    const begun = clock.now();
    const body = claim(lease);
    const at =
      lease === undefined ? ({ verb: 'create', path: collection } as const) : ({ verb: 'update', path } as const);
    note((await api.call({ ...at, body }, ask())) as Lease);
    renewedAt = begun;
  }

  function isFree({ spec }: Lease): boolean {
    const holder = spec?.holderIdentity ?? '';
    if (holder === '' || holder === identity) return true;
    const seconds = spec?.leaseDurationSeconds ?? leaseSeconds;
    return seen !== undefined && clock.now() - seen.at > seconds * 1000;
  }

  function claim(lease: Lease | undefined): object {
    const now = new Date().toISOString().replace('Z', '000Z');
    const isOurs = lease?.spec?.holderIdentity === identity;
    const transitions = lease?.spec?.leaseTransitions ?? 0;
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: lease?.metadata ?? { name: leaseName, namespace },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: leaseSeconds,
        acquireTime: (isOurs ? lease?.spec?.acquireTime : undefined) ?? now,
        renewTime: now,
        leaseTransitions: isOurs || lease === undefined ? transitions : transitions + 1,
      },
    };
  }

  async function pause(): Promise<void> {
    // Candidates that wait for the same end do not all come at once.
    const ms = retrySeconds * 1000 * (1 + 0.2 * clock.random());
    await clock.sleep(Math.max(0, Math.min(ms, leftMs())), ending.signal).catch(() => undefined);
  }

  async function compete(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        const lease = await look(ask());
        if (lease === undefined || isFree(lease)) return await write(lease);
      } catch (error) {
        const isExpected = isConflict(error) || ending.signal.aborted;
        if (!isExpected) log.warn({ lease: leaseName, err: error }, 'the Lease could not be had');
      }
      await pause();
    }
  }

  /** @returns why it is lost; undefined: it was ended. */
  async function lead(): Promise<string | undefined> {
    for (;;) {
      await pause();
      if (ending.signal.aborted) return undefined;
      // Asked before renewing: this process may have been paused for longer than others waited.
      if (leftMs() <= 0) return `It could not be renewed for ${renewSeconds} s.`;
      const holder = seen?.lease.spec?.holderIdentity ?? identity;
      if (holder !== identity) return `${holder} holds it.`;
      try {
        await write(seen?.lease);
      } catch (error) {
        if (ending.signal.aborted) return undefined;
        log.warn({ lease: leaseName, err: error }, 'the Lease was not renewed');
        // Somebody else's by now, deleted, or ours by a write whose answer was lost.
        if (error instanceof ApiError) await look(ask()).catch(() => undefined);
      }
    }
  }

  const running = (async () => {
    await compete();
    if (ending.signal.aborted) return;
    log.info({ lease: leaseName, identity }, 'leads');
    options.onElected();
    const reason = await lead();
    if (reason === undefined) return;
    renewedAt = undefined;
    log.warn({ lease: leaseName, identity, reason }, 'leads no more');
    options.onLost(reason);
  })();

  async function giveBack(): Promise<void> {
    // What was under way when it was ended may have changed it.
    const lease = await look({ deadlineMs: CALL_MS });
    if (lease?.spec?.holderIdentity !== identity) return;
    const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 };
    await api.call({ verb: 'update', path, body: { ...lease, spec } }, { deadlineMs: CALL_MS });
  }

  return {
    async stop() {
      ending.abort();
      await running;
      if (renewedAt === undefined) return;
      await giveBack().catch((error: unknown) => {
        log.warn({ lease: leaseName, err: error }, 'the Lease was not given back');
      });
    },
  };
}
