import type { Request } from 'express';
import { z } from 'zod';
import type { EventContext } from '../../core/events/recordEvent.ts';
import type { AdmissionLimits } from '../../core/jobs/admission.ts';
import type { CountedTransact, ReachedMilestone } from '../../core/jobs/countedTransactions.ts';
import type { Store } from '../../db/database.ts';
import type { Notifications } from '../../db/notifications.ts';
import type { Locations } from '../../egress/locations.ts';
import type { Log } from '../../lib/log.ts';
import type { CaptureAuthenticator } from '../auth/captureAuth.ts';
import type { TransferOptions } from '../transfers/transfers.ts';

const Index = z.coerce.number().int().min(0).max(1_000_000);

export interface InternalApiOptions extends EventContext, TransferOptions {
  readonly store: Store;
  readonly notifications: Notifications;
  /** Without it, the API accepts the job tokens that the controller signs with `secret`. */
  readonly authenticator?: CaptureAuthenticator | undefined;
  /** A claim that was not renewed for this time is lost. */
  readonly leaseSeconds: number;
  /** For small sets that captures take after their own. */
  readonly smallSets: Pick<AdmissionLimits, 'maxPodsPerOrganization' | 'setDeadlineSeconds'>;
  /** The locations that the operator offers; none unless given. */
  readonly locations?: Locations | undefined;
  readonly log: Log;
  readonly observe?: CaptureObserver;
}

/** Shared by all routes. */
export interface InternalApiContext extends InternalApiOptions {
  /** Runs a transaction and counts the screenshots that it resolves. */
  readonly transact: CountedTransact;
}

/** Receives the reports of captures after they are stored, for metrics. */
export interface CaptureObserver {
  /** Seconds that a capture spent in each phase. */
  phases?(phases: Readonly<Record<string, number>>): void;
  creative?(result: { readonly status: string; readonly seconds: number }): void;
  /** Final statuses of screenshots. Each screenshot is reported once, also if the capture repeats its report. */
  screenshots?(statuses: readonly string[]): void;
  /** Milestones that sets reached, each once. */
  milestones?(reached: readonly ReachedMilestone[]): void;
  /** Processor seconds that a capture used. */
  processor?(seconds: number): void;
}

/** @throws ZodError, as the functions below. */
export function readJobId(req: Request): string {
  return z.uuid().parse(req.params['job']);
}

export function readIndex(req: Request): number {
  return Index.parse(req.params['index']);
}

export function readAdId(req: Request): string {
  return z.uuid().parse(req.params['ad']);
}
