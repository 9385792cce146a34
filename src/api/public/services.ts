import type { ArtifactStore } from '../../artifacts/store.ts';
import type { EventContext } from '../../core/events/recordEvent.ts';
import type { Store } from '../../db/database.ts';
import type { Limits } from '../../domain/limits.ts';
import type { DefaultQuotas } from '../../domain/quotas.ts';
import type { UploadLimits } from '../../domain/uploads.ts';
import type { Guard } from '../../egress/guard.ts';
import type { Locations } from '../../egress/locations.ts';
import type { Log } from '../../lib/log.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { KeyChecker } from '../limits/keyChecker.ts';
import type { OpenLimits } from '../limits/openLimits.ts';
import type { RequestLimits } from '../limits/requestLimits.ts';
import type { ServedRequest } from '../server/accessLog.ts';

/** The parts of the running service that requests use, composed once when it starts. */
export interface Services extends EventContext {
  readonly store: Store;
  /** The installation's secret; it signs share links. */
  readonly secret: Buffer;
  readonly limits: Limits;
  readonly uploadLimits: UploadLimits;
  /** The default quotas of organizations. */
  readonly quotas?: DefaultQuotas | undefined;
  /** Days after which the sets of organizations that chose nothing are removed; they stay unless given. */
  readonly setRetentionDays?: number | undefined;
  /** Limits the requests of each key; without it, there is no limit. */
  readonly requestLimits?: RequestLimits | undefined;
  /** Limits requests without a key; without it, there is no limit. */
  readonly openLimits?: OpenLimits | undefined;
  /** Looks up keys. Without it, wrong keys are not limited. */
  readonly keyChecker?: KeyChecker | undefined;
  /** The addresses from which the service connects to others, as the operator named them. */
  readonly sendingAddresses?: readonly string[];
  /** Proxies whose `X-Forwarded-For` is trusted: their addresses and ranges, or how many there are; none unless given. */
  readonly trustedProxies?: number | readonly string[];
  /** Origins whose pages may call the API; none unless given. */
  readonly corsOrigins?: readonly string[];
  readonly log: Log;
  /** Receives each request when it ends, for metrics. */
  readonly observeRequest?: (served: ServedRequest) => void;
  readonly artifacts: ArtifactStore;
  /** Sends mails; without it, nobody is invited by e-mail. */
  readonly mailer?: Mailer | undefined;
  /** How long a download waits for the file of its export; 8 s unless given. */
  readonly exportWaitMs?: number;
  /** ARN of the service's own AWS identity. Without it, connectors cannot name a role. */
  readonly awsPrincipal?: string | undefined;
  /** The locations that the operator offers; none unless given. */
  readonly locations?: Locations | undefined;
  /** Checks the addresses of connectors and test events. */
  readonly guard: Pick<Guard, 'resolve'>;
}
