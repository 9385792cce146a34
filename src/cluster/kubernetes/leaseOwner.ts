/** The owner of the Lease: a ConfigMap of the release, which the chart gives the name of the Lease. When the release is removed, Kubernetes deletes the Lease with it. */
import type { V1ConfigMap, V1OwnerReference } from '@kubernetes/client-node';
import { errorMessage } from '../../lib/errorMessage.ts';
import type { Log } from '../../lib/log.ts';
import type { CallOptions } from './client/apiServer.ts';
import type { Clock } from './client/clock.ts';
import type { ResourceClient } from './client/resourceClient.ts';

export interface LeaseOwnerConnection {
  readonly configMaps: ResourceClient<V1ConfigMap>;
  readonly log: Log;
  readonly clock: Clock;
}

const CALL_MS = 2_000;
/** How long a read is used. Also the time until a failed read is repeated. */
const FRESH_MS = 5 * 60_000;

/**
 * Reads the uid of the ConfigMap. A failure never prevents leadership: the Lease then has the owner that was read last, or none.
 */
export class LeaseOwner {
  readonly #connection: LeaseOwnerConnection;
  readonly #name: string;
  #reference: V1OwnerReference | undefined;
  #readAt: number | undefined;

  constructor(connection: LeaseOwnerConnection, name: string) {
    this.#connection = connection;
    this.#name = name;
  }

  /** @returns the references of a Lease that has `given`: ours, and those to other objects. */
  async referencesWith(
    given: readonly V1OwnerReference[] = [],
    options: CallOptions & { readonly isNew: boolean },
  ): Promise<V1OwnerReference[]> {
    const { isNew, ...call } = options;
    const { clock } = this.#connection;
    // A Lease that disappeared may have been deleted with an earlier ConfigMap of this name.
    if (isNew || this.#readAt === undefined || clock.now() - this.#readAt >= FRESH_MS) await this.#read(call);
    const own = this.#reference;
    if (own === undefined) return [...given];
    return [...given.filter(({ kind, name }) => kind !== own.kind || name !== own.name), own];
  }

  async #read({ deadlineMs = CALL_MS, ...call }: CallOptions): Promise<void> {
    const { configMaps, clock } = this.#connection;
    this.#readAt = clock.now();
    try {
      const found = await configMaps.get(this.#name, { ...call, deadlineMs: Math.min(CALL_MS, deadlineMs) });
      const uid = found?.metadata?.uid;
      if (uid !== undefined) this.#reference = { apiVersion: 'v1', kind: 'ConfigMap', name: this.#name, uid };
    } catch (error) {
      if (call.signal?.aborted !== true) this.#warn(errorMessage(error));
    }
  }

  #warn(reason: string): void {
    const fields = { config_map: this.#name, reason };
    this.#connection.log.warn(fields, 'the owner of the Lease could not be read; the Lease may stay after its release');
  }
}
