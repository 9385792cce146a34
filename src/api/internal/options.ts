import type { ArtifactStore } from '../../artifacts/store.ts';
import type { Log } from '../../lib/log.ts';
import type { Store } from '../../store/database/database.ts';
import type { Notifications } from '../../store/database/notifications.ts';
import type { CountedTransact } from '../../workflow/countedTransactions.ts';
import type { EventContext } from '../../workflow/eventContext.ts';
import type { CaptureAuthenticator } from '../auth/captureAuth.ts';

export interface InternalApiOptions extends EventContext {
  readonly store: Store;
  readonly artifacts: ArtifactStore;
  readonly notifications: Notifications;
  /** The installation's secret. */
  readonly secret: Buffer;
  /** Tells captures by their tokens; those that the controller signs with `secret` unless given. */
  readonly authority?: CaptureAuthenticator | undefined;
  /** How captures reach this API, without a slash at its end. */
  readonly internalUrl: string;
  /** Bound on one run of a capture. */
  readonly podDeadlineSeconds: number;
  /** A claim that was not renewed for so long is lost. */
  readonly leaseSeconds: number;
  /** Of one picture. */
  readonly maxUploadBytes?: number;
  /** Of all pictures that this API takes itself at the same time. */
  readonly maxUploadBytesTogether?: number;
  readonly log: Log;
  readonly observe?: CaptureObserver;
}

/** What the routes share. */
export interface InternalApiContext extends InternalApiOptions {
  /** Runs a transaction and counts the screenshots that it resolves. */
  readonly transact: CountedTransact;
}

/** Told of what captures report, after it was stored. */
export interface CaptureObserver {
  /** Seconds that a capture spent, by phase. */
  phases?(phases: Readonly<Record<string, number>>): void;
  creative?(result: { readonly status: string; readonly seconds: number }): void;
  /** Final states of pictures, each once, however often it is reported. */
  screenshots?(statuses: readonly string[]): void;
}
