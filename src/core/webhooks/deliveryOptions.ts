import type { ArtifactStore } from '../../artifacts/store.ts';
import type { Store } from '../../db/database.ts';
import type { Notifications } from '../../db/notifications.ts';
import type { Queue } from '../../db/queue.ts';
import type { Guard } from '../../egress/guard.ts';
import type { Log } from '../../lib/log.ts';
import type { ConnectorRoles } from '../buckets/connectorRoles.ts';

export interface DeliveryOptions {
  readonly store: Store;
  readonly queue: Queue;
  readonly artifacts: ArtifactStore;
  readonly guard: Guard;
  /** Without it, connectors that name a role fail. */
  readonly roles?: ConnectorRoles | undefined;
  readonly log: Log;
  /** Notifications of deliveries that become due. Without them, workers look once a second. */
  readonly subscribe?: Notifications['subscribe'];
  /** Delivery attempts of one channel that run at the same time in this process. */
  readonly limits?: Partial<DeliveryLimits>;
  readonly observe?: DeliveryObserver;
  /** The clock for signatures. */
  readonly now?: () => Date;
}

export interface DeliveryLimits {
  readonly total: number;
  readonly perOrganization: number;
  /** For one receiver of one organization. */
  readonly perReceiver: number;
}

/** Called after the result is stored. */
export interface DeliveryObserver {
  /** Called for every delivery attempt with `delivered`, `retry`, `gone` or `refused`. */
  attempted?(made: { readonly channel: 'webhook' | 's3'; readonly outcome: string; readonly seconds: number }): void;
  /** Called for every ended delivery with `delivered`, `retries_exhausted`, `gone` or `refused`. */
  ended?(delivery: { readonly channel: 'webhook' | 's3'; readonly outcome: string }): void;
  /** Called when the service has disabled a webhook endpoint. */
  endpointDisabled?(): void;
}
